// Q2_K: two bits, sub-blocks of 16 with four bits of scale and four of minimum.
#include "reference/formats/parts.h"

namespace tritcheck::ggml::formats {

constinit const Traits q2_k{
    .format = {"q2_K", 256, 84},
    .acts = Acts::q8_k,
    .d = 80,
    .c = 82,
    .code =
        [](size_t e) {
          return Place{{16 + 32 * (e / 128) + e % 32, static_cast<int>(2 * (e % 128 / 32)), 2}};
        },
    .code_count = 4,
    .scale = &kU4,
    .scales = 16,
    .scale_place =
        [](size_t i) {
          return Place{{i, 0, 4}};
        },
    .minima = 16,
    .minimum_place =
        [](size_t i) {
          return Place{{i, 4, 4}};
        },
    .in_order =
        [](std::span<const uint8_t> b, Block& out) {
          out.d = half(b, 80);
          out.c = -half(b, 82);
          size_t e = 0;
          for (size_t half128 = 0; half128 < 2; ++half128) {
            for (int shift = 0; shift < 8; shift += 2) {
              for (size_t l = 0; l < 32; ++l, ++e) {
                const int scale = b[e / 16];
                out.weight[e] = scale % 16 * (b[16 + 32 * half128 + l] >> shift & 3);
                out.minimum[e] = scale / 16;
              }
            }
          }
        },
};

}  // namespace tritcheck::ggml::formats
