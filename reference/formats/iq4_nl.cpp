// IQ4_NL: four bits that are looked up, one scale.
#include "reference/formats/parts.h"
#include "reference/ggml_values.h"

namespace tritcheck::ggml::formats {

constinit const Traits iq4_nl{
    .format = {"iq4_nl", 32, 18},
    .d = 0,
    .code = [](size_t e) { return nibble(2, e); },
    .code_count = 16,
    .number = [](uint8_t code) { return int32_t{kIq4[code]}; },
    .in_order =
        [](std::span<const uint8_t> b, Block& out) {
          out.d = half(b, 0);
          nibbles(b, 2, 0, out, [](int v) { return int32_t{kIq4[static_cast<size_t>(v)]}; });
        },
};

}  // namespace tritcheck::ggml::formats
