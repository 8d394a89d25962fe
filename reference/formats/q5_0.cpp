// Q5_0: five bits less 16, the fifth apart, one scale.
#include "reference/formats/parts.h"

namespace tritcheck::ggml::formats {

constinit const Traits q5_0{
    .format = {"q5_0", 32, 22},
    .d = 0,
    .code =
        [](size_t e) {
          return Place{nibble(6, e).low, Bits{2 + e / 8, static_cast<int>(e % 8), 1}};
        },
    .code_count = 32,
    .code_offset = 16,
    .in_order =
        [](std::span<const uint8_t> b, Block& out) {
          out.d = half(b, 0);
          nibbles(b, 6, 0, out, [](int v) { return v - 16; });
          fifth_bits(b, 2, out);
          less(out, 16);
        },
    .quantize = [](std::span<const float> x, Rounding rounding,
                   Fields& out) { quantize_centred(x, 16, rounding, out); },
};

}  // namespace tritcheck::ggml::formats
