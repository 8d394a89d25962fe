#include "reference/half.h"

#include <bit>

namespace tritcheck {
namespace {

constexpr uint32_t kInfinity = 0x7F800000;  // float32; larger magnitudes are NaN

// bits / 2^drop to the nearest integer, ties to even; drop in 1..31.
uint32_t shift_half_even(uint32_t bits, uint32_t drop) {
  const uint32_t kept = bits >> drop;
  const uint32_t rest = bits & ((uint32_t{1} << drop) - 1);
  const uint32_t half = uint32_t{1} << (drop - 1);
  return rest > half || (rest == half && kept % 2 == 1) ? kept + 1 : kept;
}

// The magnitude of a float32 that is no NaN, as the lower 15 bits of an fp16. A carry out of the fraction goes up into
// the exponent, and out of the largest number into infinity: the encodings are in the order of the numbers.
uint32_t half_magnitude(uint32_t magnitude) {
  const uint32_t exponent = magnitude >> 23;
  if (exponent >= 127 + 16) return 0x7C00;
  if (exponent >= 127 - 14) return shift_half_even(magnitude - ((127 - 15) << 23), 13);
  // Below 2^-14 an fp16 counts units of 2^-24. The float32 is its 24-bit significand times 2^(exponent - 150).
  const uint32_t drop = 126 - exponent;
  if (drop > 24) return 0;
  return shift_half_even((magnitude & 0x7FFFFF) | 0x800000, drop);
}

}  // namespace

float f16::to_float(uint16_t bits) {
  const uint32_t sign = uint32_t{bits & 0x8000U} << 16;
  uint32_t exponent = bits >> 10 & 31;
  uint32_t fraction = bits & 0x3FF;
  if (exponent == 31) return std::bit_cast<float>(sign | kInfinity | fraction << 13);
  if (exponent == 0) {
    if (fraction == 0) return std::bit_cast<float>(sign);
    // a denormal: shift until the leading one is where a normal number has its hidden bit
    exponent = 1;
    for (; fraction < 0x400; fraction <<= 1) --exponent;
    fraction &= 0x3FF;
  }
  return std::bit_cast<float>(sign | (exponent + 127 - 15) << 23 | fraction << 13);
}

uint16_t f16::from_float(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const uint32_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > kInfinity) return static_cast<uint16_t>(sign | 0x7E00 | (magnitude >> 13 & 0x3FF));
  return static_cast<uint16_t>(sign | half_magnitude(magnitude));
}

bool f16::is_finite(uint16_t bits) {
  return (bits & 0x7C00) != 0x7C00;
}

float bf16::to_float(uint16_t bits) {
  return std::bit_cast<float>(uint32_t{bits} << 16);
}

uint16_t bf16::from_float(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  if ((bits & 0x7FFFFFFF) > kInfinity) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>(shift_half_even(bits, 16));
}

}  // namespace tritcheck
