// Right pieces the broken functions share, so that each of them has one defect and no other: numbers as blocks hold
// them, and the blocks of activations. The plug-in stands alone: nothing here comes from the rest of the tree but the
// interface.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "include/tritcheck/kernel.h"

// Functions of the plug-in, by their signatures. Their names are in block_bugs.inc.
#define VEC_DOT(name)                                                                                                \
  extern "C" void name([[maybe_unused]] int n, [[maybe_unused]] float* s, [[maybe_unused]] size_t bs,                \
                       [[maybe_unused]] const void* vx, [[maybe_unused]] size_t bx, [[maybe_unused]] const void* vy, \
                       [[maybe_unused]] size_t by, [[maybe_unused]] int nrc)
#define TO_FLOAT(name) extern "C" void name(const void* x, float* y, int64_t k)
#define FROM_FLOAT(name) extern "C" void name(const float* x, void* y, int64_t k)

// A function that is its format's ordinary one over the hooks of one mistake.
#define DOT_OF(name, mistake)                        \
  VEC_DOT(name) {                                    \
    vec_dot<mistake>(n, s, bs, vx, bx, vy, by, nrc); \
  }
#define FLOATS_OF(name, mistake) \
  TO_FLOAT(name) {               \
    to_float<mistake>(x, y, k);  \
  }

namespace tritcheck::block_museum {

template <class T>
T load(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Makes the compiler believe that `value` is used, so that the load it came from stays.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "m"(value) : "memory");
}

/// fp16 to float32.
inline float from_half(uint16_t h) {
  const float sign = (h & 0x8000) != 0 ? -1.0F : 1.0F;
  const int exponent = h >> 10 & 31;
  const int fraction = h & 1023;
  if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
  return sign * std::ldexp(static_cast<float>(exponent == 0 ? fraction : 1024 + fraction),
                           exponent == 0 ? -24 : exponent - 25);
}

/// float32 to fp16, to the nearest, ties to even.
inline uint16_t to_half(float x) {
  const double a = std::fabs(static_cast<double>(x));
  const auto sign = static_cast<uint16_t>(std::signbit(x) ? 0x8000 : 0);
  if (std::isnan(x)) return 0x7E00;
  if (a >= 65520) return static_cast<uint16_t>(sign | 0x7C00);
  int exponent = 0;
  std::frexp(a, &exponent);
  const int unit = exponent - 11 < -24 || a == 0 ? -24 : exponent - 11;  // the last place counts 2^unit
  return static_cast<uint16_t>(sign | (((unit + 24) << 10) + static_cast<int>(std::nearbyint(std::ldexp(a, -unit)))));
}

/// fp16 at a byte address.
inline float half_at(const uint8_t* at) {
  return from_half(load<uint16_t>(at));
}

// ---- blocks of activations -----------------------------------------------------------------------------------------

struct Q8_0Acts {
  static constexpr int kElements = 32;
  static constexpr int kBytes = 34;
  static float d(const uint8_t* y) { return half_at(y); }
  static const int8_t* q(const uint8_t* y) { return reinterpret_cast<const int8_t*>(y + 2); }
};
struct Q8_1Acts {
  static constexpr int kElements = 32;
  static constexpr int kBytes = 36;
  static float d(const uint8_t* y) { return half_at(y); }
  static float s(const uint8_t* y) { return half_at(y + 2); }  ///< d * sum(q)
  static const int8_t* q(const uint8_t* y) { return reinterpret_cast<const int8_t*>(y + 4); }
};
struct Q8_KActs {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 292;
  static float d(const uint8_t* y) { return load<float>(y); }
  static const int8_t* q(const uint8_t* y) { return reinterpret_cast<const int8_t*>(y + 4); }
  static int sum(const uint8_t* y, int j) {
    return load<int16_t>(y + 260 + 2 * j);
  }  ///< of activations 16j to 16j + 15
};

}  // namespace tritcheck::block_museum
