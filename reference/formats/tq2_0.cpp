// TQ2_0: two bits less 1, one scale behind them.
#include "reference/tq2_0.h"

#include "reference/formats/parts.h"

namespace tritcheck::ggml::formats {

constinit const Traits tq2_0{
    .format = tritcheck::tq2_0::kFormat,
    .acts = Acts::q8_k,
    .d = 64,
    .code =
        [](size_t e) {
          return Place{{tritcheck::tq2_0::position(e).byte, tritcheck::tq2_0::position(e).shift, 2}};
        },
    .code_count = 4,
    .code_offset = tritcheck::tq2_0::kOffset,
    .unwritten = 3,
    .in_order =
        [](std::span<const uint8_t> b, Block& out) {
          out.d = half(b, 64);
          for (size_t i = 0; i < 64; ++i) {
            int byte = b[i];
            for (size_t j = 0; j < 4; ++j, byte /= 4) out.weight[i / 32 * 128 + 32 * j + i % 32] = byte % 4 - 1;
          }
          less(out, 1);
        },
    .quantize = [](std::span<const float> x, Rounding, Fields& out) { quantize_ternary(x, 2, out); },
};

}  // namespace tritcheck::ggml::formats
