// Q4_0: four bits less 8, one scale.
#include "reference/formats/parts.h"

namespace tritcheck::ggml::formats {

constinit const Traits q4_0{
    .format = {"q4_0", 32, 18},
    .d = 0,
    .code = [](size_t e) { return nibble(2, e); },
    .code_count = 16,
    .code_offset = 8,
    .in_order =
        [](std::span<const uint8_t> b, Block& out) {
          out.d = half(b, 0);
          nibbles(b, 2, 0, out, [](int v) { return v - 8; });
          less(out, 8);
        },
    .quantize = [](std::span<const float> x, Rounding rounding, Fields& out) { quantize_centred(x, 8, rounding, out); },
};

}  // namespace tritcheck::ggml::formats
