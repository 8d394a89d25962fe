// The four-bit values that are no plain numbers.
#pragma once

#include <array>
#include <cstdint>

namespace tritcheck::ggml {

/// iq4_nl and iq4_xs.
inline constexpr std::array<int8_t, 16> kIq4 = {-127, -104, -83, -65, -49, -35, -22, -10,
                                                1,    13,   25,  38,  53,  69,  89,  113};
/// mxfp4 and nvfp4: e2m1, doubled.
inline constexpr std::array<int8_t, 16> kE2m1 = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

}  // namespace tritcheck::ggml
