// TQ1_0: base 3, five digits to a byte, one scale behind them.
#include "reference/tq1_0.h"

#include <algorithm>

#include "reference/formats/parts.h"

namespace tritcheck::ggml::formats {
namespace {

// `count` bytes of `digits` trits each, which are elements `count` apart. byte * 3^digits / 256 is the number that
// the trits write in base 3.
void trits(std::span<const uint8_t> b, size_t at, size_t count, size_t digits, size_t first, Block& out) {
  const int power = digits == 5 ? 243 : 81;
  for (size_t i = 0; i < count; ++i) {
    int rest = b[at + i] * power / 256;
    for (size_t t = digits; t-- > 0; rest /= 3) out.weight[first + t * count + i] = rest % 3 - 1;
  }
}

}  // namespace

constinit const Traits tq1_0{
    .format = tritcheck::tq1_0::kFormat,
    .acts = Acts::q8_k,
    .d = 52,
    .digit_byte = [](size_t e) { return tritcheck::tq1_0::position(e).byte; },
    .unpack_digits =
        [](std::span<const uint8_t> bytes, Fields& out) {
          const auto block = tritcheck::tq1_0::unpack(bytes);
          out.codes.assign(block.codes.begin(), block.codes.end());
        },
    .pack_digits =
        [](const Fields& fields, std::span<uint8_t> bytes) {
          tritcheck::tq1_0::Block block;
          std::copy(fields.codes.begin(), fields.codes.end(), block.codes.begin());
          tritcheck::tq1_0::pack(block, bytes);
        },
    .code_count = tritcheck::tq1_0::kLargestCode + 1,
    .code_offset = tritcheck::tq1_0::kOffset,
    .in_order =
        [](std::span<const uint8_t> b, Block& out) {
          out.d = half(b, 52);
          trits(b, 0, 32, 5, 0, out);
          trits(b, 32, 16, 5, 160, out);
          trits(b, 48, 4, 4, 240, out);
          less(out, 1);
        },
    .quantize = [](std::span<const float> x, Rounding, Fields& out) { quantize_ternary(x, 2, out); },
};

}  // namespace tritcheck::ggml::formats
