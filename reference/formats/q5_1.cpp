// Q5_1: five bits, the fifth apart, one scale, and an m that is added.
#include "reference/formats/parts.h"

namespace tritcheck::ggml::formats {

constinit const Traits q5_1{
    .format = {"q5_1", 32, 24},
    .acts = Acts::q8_1,  // m needs its sum
    .d = 0,
    .c = 2,
    .c_is_added = true,
    .code =
        [](size_t e) {
          return Place{nibble(8, e).low, Bits{4 + e / 8, static_cast<int>(e % 8), 1}};
        },
    .code_count = 32,
    .in_order =
        [](std::span<const uint8_t> b, Block& out) {
          out.d = half(b, 0);
          plus(out, half(b, 2));
          nibbles(b, 8, 0, out, [](int v) { return v; });
          fifth_bits(b, 4, out);
        },
    .quantize = [](std::span<const float> x, Rounding rounding,
                   Fields& out) { quantize_shifted(x, 31, rounding, out); },
};

}  // namespace tritcheck::ggml::formats
