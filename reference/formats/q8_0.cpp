// Q8_0: an int8, one scale. As activations it has a file of its own.
#include "reference/q8_0.h"

#include "reference/formats/parts.h"

namespace tritcheck::ggml::formats {

constinit const Traits q8_0{
    .format = tritcheck::q8_0::kFormat,
    .d = 0,
    .code =
        [](size_t e) {
          return Place{{2 + e, 0, 8}};
        },
    .code_count = 256,
    .number = [](uint8_t code) { return int32_t{static_cast<int8_t>(code)}; },
    .forbidden = 0x80,  // -128
    .in_order =
        [](std::span<const uint8_t> b, Block& out) {
          out.d = half(b, 0);
          for (size_t e = 0; e < 32; ++e) out.weight[e] = b[2 + e] < 128 ? b[2 + e] : b[2 + e] - 256;
        },
};

}  // namespace tritcheck::ggml::formats
