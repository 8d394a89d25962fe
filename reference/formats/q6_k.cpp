// Q6_K: six bits less 32, the high ones apart, sub-blocks of 16 with an int8 as scale.
#include "reference/q6_k.h"

#include "reference/formats/parts.h"

namespace tritcheck::ggml::formats {

constinit const Traits q6_k{
    .format = tritcheck::q6_k::kFormat,
    .acts = Acts::q8_k,
    .d = 208,
    .code =
        [](size_t e) {
          const tritcheck::q6_k::Position p = tritcheck::q6_k::position(e);
          return Place{{p.low_byte, p.low_shift, 4}, Bits{p.high_byte, p.high_shift, 2}};
        },
    .code_count = 64,
    .code_offset = tritcheck::q6_k::kOffset,
    .scale = &kI8,
    .scales = 16,
    .scale_place =
        [](size_t i) {
          return Place{{192 + i, 0, 8}};
        },
    // a byte of high bits serves four elements that are 32 apart; the low ones are in two bytes 32 apart
    .in_order =
        [](std::span<const uint8_t> b, Block& out) {
          out.d = half(b, 208);
          for (size_t at = 0; at < 64; ++at) {
            int high = b[128 + at];
            const size_t l = at % 32;
            for (size_t quarter = 0; quarter < 4; ++quarter, high /= 4) {
              const int pair = b[at / 32 * 64 + quarter % 2 * 32 + l];
              const int low = quarter < 2 ? pair % 16 : pair / 16;
              const size_t e = at / 32 * 128 + 32 * quarter + l;
              const int stored = b[192 + e / 16];
              const int scale = stored < 128 ? stored : stored - 256;
              out.weight[e] = scale * (low + high % 4 * 16 - 32);
              out.offset[e] = scale * 32;
            }
          }
        },
};

}  // namespace tritcheck::ggml::formats
