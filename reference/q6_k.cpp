#include "reference/q6_k.h"

#include <algorithm>

#include "reference/half.h"

namespace tritcheck::q6_k {
namespace {

constexpr size_t kHighAt = 128;
constexpr size_t kScalesAt = 192;
constexpr size_t kScaleAt = 208;

}  // namespace

Position position(size_t e) {
  const size_t half = e / 128;
  const size_t field = e % 128 / 32;
  const size_t l = e % 32;
  return {64 * half + 32 * (field % 2) + l, static_cast<int>(4 * (field / 2)), kHighAt + 32 * half + l,
          static_cast<int>(2 * field)};
}

int64_t row_bytes(int64_t k) {
  return blocks::row_bytes(kFormat, k);
}

Block unpack(std::span<const uint8_t> bytes) {
  blocks::require_block(kFormat, "unpack", bytes.size());
  Block block;
  for (size_t e = 0; e < kBlock; ++e) {
    const Position p = position(e);
    const int low = bytes[p.low_byte] >> p.low_shift & 15;
    const int high = bytes[p.high_byte] >> p.high_shift & 3;
    block.codes[e] = static_cast<uint8_t>(low + 16 * high);
  }
  for (size_t s = 0; s < kScales; ++s) block.scales[s] = static_cast<int8_t>(bytes[kScalesAt + s]);
  block.d = blocks::load_u16(bytes, kScaleAt);
  return block;
}

void pack(const Block& block, std::span<uint8_t> bytes) {
  blocks::require_block(kFormat, "pack", bytes.size());
  for (size_t e = 0; e < kBlock; ++e) blocks::require_code(kFormat, e, block.codes[e], kLargestCode);
  std::fill(bytes.begin(), bytes.end(), uint8_t{0});
  for (size_t e = 0; e < kBlock; ++e) {
    const Position p = position(e);
    bytes[p.low_byte] |= static_cast<uint8_t>((block.codes[e] & 15) << p.low_shift);
    bytes[p.high_byte] |= static_cast<uint8_t>((block.codes[e] >> 4) << p.high_shift);
  }
  for (size_t s = 0; s < kScales; ++s) bytes[kScalesAt + s] = static_cast<uint8_t>(block.scales[s]);
  blocks::store_u16(bytes, kScaleAt, block.d);
}

void dequantize_row(std::span<const uint8_t> row, std::span<double> out) {
  blocks::dequantize_row(
      kFormat, row, out, unpack, [](const Block& block) -> double { return f16::to_float(block.d); },
      [](const Block& block, size_t e) -> double {
        return static_cast<double>(block.scales[e / kScaleElements]) * (block.codes[e] - kOffset);
      });
}

}  // namespace tritcheck::q6_k
