// Q1_0: one bit, -1 or +1, one scale. The number is twice the code less 1.
#include <cmath>

#include "reference/formats/parts.h"

namespace tritcheck::ggml::formats {

constinit const Traits q1_0{
    .format = {"q1_0", 128, 18},
    .d = 0,
    .code =
        [](size_t e) {
          return Place{{2 + e / 8, static_cast<int>(e % 8), 1}};
        },
    .code_count = 2,
    .code_offset = 1,
    .number = [](uint8_t code) { return int32_t{2 * code - 1}; },
    .in_order =
        [](std::span<const uint8_t> b, Block& out) {
          out.d = half(b, 0);
          for (size_t i = 0; i < 16; ++i) {
            for (size_t bit = 0; bit < 8; ++bit) out.weight[8 * i + bit] = (b[2 + i] >> bit & 1) != 0 ? 1 : -1;
          }
          less(out, 1);
        },
    // d = mean of |x|, added in order; code 1 for x >= 0
    .quantize =
        [](std::span<const float> x, Rounding, Fields& out) {
          float sum = 0;
          for (const float v : x) sum += std::fabs(v);
          out.d = f16::from_float(sum / static_cast<float>(x.size()));
          for (const float v : x) out.codes.push_back(v >= 0 ? 1 : 0);
        },
};

}  // namespace tritcheck::ggml::formats
