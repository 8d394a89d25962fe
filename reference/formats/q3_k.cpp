// Q3_K: three bits less 4, the third apart, sub-blocks of 16 with six bits of scale less 32.
#include "reference/formats/parts.h"

namespace tritcheck::ggml::formats {

constinit const Traits q3_k{
    .format = {"q3_K", 256, 110},
    .acts = Acts::q8_k,
    .d = 108,
    .code =
        [](size_t e) {
          const auto field = static_cast<int>(e % 128 / 32);
          return Place{{32 + 32 * (e / 128) + e % 32, 2 * field, 2},
                       Bits{e % 32, static_cast<int>(4 * (e / 128)) + field, 1}};
        },
    .code_count = 8,
    .code_offset = 4,
    .scale = &kU6Offset32,
    .scales = 16,
    .scale_place =
        [](size_t i) {
          return Place{{96 + i % 8, static_cast<int>(4 * (i / 8)), 4},
                       Bits{104 + i % 4, static_cast<int>(2 * (i / 4)), 2}};
        },
    .in_order =
        [](std::span<const uint8_t> b, Block& out) {
          out.d = half(b, 108);
          // the twelve bytes as three words: low nibbles of 0..7, of 8..15, and the pairs of high bits
          int scale[16];
          for (size_t i = 0; i < 8; ++i) {
            scale[i] = b[96 + i] % 16;
            scale[i + 8] = b[96 + i] / 16;
          }
          for (size_t i = 0; i < 4; ++i) {
            int pairs = b[104 + i];
            for (size_t j = 0; j < 4; ++j, pairs /= 4) scale[i + 4 * j] += 16 * (pairs % 4);
          }
          size_t e = 0;
          int mask = 1;
          for (size_t half128 = 0; half128 < 2; ++half128) {
            for (int shift = 0; shift < 8; shift += 2, mask *= 2) {
              for (size_t l = 0; l < 32; ++l, ++e) {
                int q = b[32 + 32 * half128 + l] >> shift & 3;
                if ((b[l] & mask) == 0) q -= 4;
                out.weight[e] = (scale[e / 16] - 32) * q;
                out.offset[e] = (scale[e / 16] - 32) * 4;
              }
            }
          }
        },
};

}  // namespace tritcheck::ggml::formats
