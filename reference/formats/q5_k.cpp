// Q5_K: five bits, the fifth apart, sub-blocks of 32 with six bits of scale and six of minimum.
#include "reference/formats/parts.h"

namespace tritcheck::ggml::formats {

constinit const Traits q5_k{
    .format = {"q5_K", 256, 176},
    .acts = Acts::q8_k,
    .d = 0,
    .c = 2,
    .code =
        [](size_t e) {
          const auto half64 = static_cast<int>(e % 64 / 32);
          return Place{{48 + 32 * (e / 64) + e % 32, 4 * half64, 4},
                       Bits{16 + e % 32, static_cast<int>(2 * (e / 64)) + half64, 1}};
        },
    .code_count = 32,
    .scale = &kU6,
    .scales = 8,
    .scale_place = [](size_t i) { return six_bits(i, false); },
    .minima = 8,
    .minimum_place = [](size_t i) { return six_bits(i, true); },
    .in_order = [](std::span<const uint8_t> b, Block& out) { q4_or_q5_k(b, 48, true, out); },
};

}  // namespace tritcheck::ggml::formats
