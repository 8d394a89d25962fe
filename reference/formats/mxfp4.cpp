// MXFP4: four bits E2M1, one scale E8M0.
#include <cmath>

#include "reference/formats/parts.h"
#include "reference/ggml_values.h"

namespace tritcheck::ggml::formats {

constinit const Traits mxfp4{
    .format = {"mxfp4", 32, 17},
    .d_of = [](const Fields& f) { return std::ldexp(1.0, f.scales[0] - 128); },
    .code = [](size_t e) { return nibble(1, e); },
    .code_count = 16,
    .number = [](uint8_t code) { return int32_t{kE2m1[code]}; },
    .scale = &kE8m0,
    .scales = 1,
    .scale_place =
        [](size_t i) {
          return Place{{i, 0, 8}};
        },
    .in_order =
        [](std::span<const uint8_t> b, Block& out) {
          out.d = std::ldexp(1.0, b[0] - 128);
          nibbles(b, 1, 0, out, [](int v) { return int32_t{kE2m1[static_cast<size_t>(v)]}; });
        },
};

}  // namespace tritcheck::ggml::formats
