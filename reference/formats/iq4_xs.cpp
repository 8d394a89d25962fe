// IQ4_XS: four bits that are looked up, sub-blocks of 32 with six bits of scale less 32.
#include "reference/formats/parts.h"
#include "reference/ggml_values.h"

namespace tritcheck::ggml::formats {

constinit const Traits iq4_xs{
    .format = {"iq4_xs", 256, 136},
    .acts = Acts::q8_k,
    .d = 0,
    .code = [](size_t e) { return nibble(8 + 16 * (e / 32), e % 32); },
    .code_count = 16,
    .number = [](uint8_t code) { return int32_t{kIq4[code]}; },
    .scale = &kU6Offset32,
    .scales = 8,
    .scale_place =
        [](size_t i) {
          return Place{{4 + i / 2, static_cast<int>(4 * (i % 2)), 4},
                       Bits{2 + i / 4, static_cast<int>(2 * (i % 4)), 2}};
        },
    .in_order =
        [](std::span<const uint8_t> b, Block& out) {
          out.d = half(b, 0);
          uint32_t high = blocks::load_u16(b, 2);
          for (size_t sub = 0; sub < 8; ++sub) {
            const int low = sub % 2 == 0 ? b[4 + sub / 2] % 16 : b[4 + sub / 2] / 16;
            const int scale = low + 16 * static_cast<int>(high % 4) - 32;
            high /= 4;
            nibbles(b, 8 + 16 * sub, 32 * sub, out, [scale](int v) { return scale * kIq4[static_cast<size_t>(v)]; });
          }
        },
};

}  // namespace tritcheck::ggml::formats
