// Q2_0: two bits less 1, one scale.
#include "reference/formats/parts.h"

namespace tritcheck::ggml::formats {

constinit const Traits q2_0{
    .format = {"q2_0", 64, 18},
    .d = 0,
    .code =
        [](size_t e) {
          return Place{{2 + e / 4, static_cast<int>(2 * (e % 4)), 2}};
        },
    .code_count = 4,
    .code_offset = 1,
    .in_order =
        [](std::span<const uint8_t> b, Block& out) {
          out.d = half(b, 0);
          for (size_t i = 0; i < 16; ++i) {
            int byte = b[2 + i];
            for (size_t j = 0; j < 4; ++j, byte /= 4) out.weight[4 * i + j] = byte % 4 - 1;
          }
          less(out, 1);
        },
    .quantize = [](std::span<const float> x, Rounding, Fields& out) { quantize_ternary(x, 3, out); },
};

}  // namespace tritcheck::ggml::formats
