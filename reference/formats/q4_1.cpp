// Q4_1: four bits, one scale, and an m that is added.
#include "reference/formats/parts.h"

namespace tritcheck::ggml::formats {

constinit const Traits q4_1{
    .format = {"q4_1", 32, 20},
    .acts = Acts::q8_1,  // m needs its sum
    .d = 0,
    .c = 2,
    .c_is_added = true,
    .code = [](size_t e) { return nibble(4, e); },
    .code_count = 16,
    .in_order =
        [](std::span<const uint8_t> b, Block& out) {
          out.d = half(b, 0);
          plus(out, half(b, 2));
          nibbles(b, 4, 0, out, [](int v) { return v; });
        },
    .quantize = [](std::span<const float> x, Rounding rounding,
                   Fields& out) { quantize_shifted(x, 15, rounding, out); },
};

}  // namespace tritcheck::ggml::formats
