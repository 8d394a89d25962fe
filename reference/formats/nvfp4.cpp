// NVFP4: four bits E2M1, sub-blocks of 16 with a scale UE4M3. Its scales above 0x7F are undefined:
// std::domain_error.
#include <cmath>
#include <stdexcept>

#include "reference/formats/parts.h"
#include "reference/ggml_values.h"

namespace tritcheck::ggml::formats {

constinit const Traits nvfp4{
    .format = {"nvfp4", 64, 36},
    .d_of = [](const Fields&) { return 0x1p-10; },
    .code =
        [](size_t e) {
          return Place{{4 + 8 * (e / 16) + e % 8, static_cast<int>(4 * (e % 16 / 8)), 4}};
        },
    .code_count = 16,
    .number = [](uint8_t code) { return int32_t{kE2m1[code]}; },
    .scale = &kUe4m3,
    .scales = 4,
    .scale_place =
        [](size_t i) {
          return Place{{i, 0, 8}};
        },
    .in_order =
        [](std::span<const uint8_t> b, Block& out) {
          out.d = std::ldexp(1.0, -10);
          for (size_t sub = 0; sub < 4; ++sub) {
            if (b[sub] > 127) throw std::domain_error("nvfp4: a scale above 0x7F is undefined");
            // the number itself, and then how many steps of 2^-10 its half is
            const int exponent = b[sub] / 8;
            const double fraction = b[sub] % 8;
            const double scale = exponent == 0 ? fraction / 512 : (1 + fraction / 8) * std::pow(2.0, exponent - 7);
            const int steps = b[sub] == 127 ? 0 : static_cast<int>(scale / 2 * 1024);
            for (size_t j = 0; j < 8; ++j) {
              const size_t byte = b[4 + 8 * sub + j];
              out.weight[16 * sub + j] = steps * kE2m1[byte % 16];
              out.weight[16 * sub + j + 8] = steps * kE2m1[byte / 16];
            }
          }
        },
};

}  // namespace tritcheck::ggml::formats
