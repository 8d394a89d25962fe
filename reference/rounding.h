// Rounding to whole numbers and the checks of quantisers, independent of the machine's rounding mode.
#pragma once

#include <cmath>
#include <span>
#include <stdexcept>
#include <string>

namespace tritcheck::rounding {

/// To the nearest whole number, ties to the even one. Exact for every finite x.
inline double half_even(double x) {
  const double down = std::floor(x);
  const double frac = x - down;
  if (frac < 0.5) return down;
  if (frac > 0.5) return down + 1;
  return std::fmod(down, 2) == 0 ? down : down + 1;
}

/// To the nearest whole number, ties away from zero.
inline double half_away(double x) {
  return std::round(x);
}

/// Throws std::domain_error if an element is NaN or infinite; `format` is for the message.
template <class Float>
void require_finite(const char* format, std::span<const Float> x) {
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isfinite(x[i])) continue;
    throw std::domain_error(std::string(format) + ": element " + std::to_string(i) +
                            " is not finite; the result would be undefined");
  }
}

/// Throws std::domain_error unless the factor from numbers to codes is finite.
inline void require_finite_factor(const char* format, size_t block, float factor) {
  if (std::isfinite(factor)) return;
  throw std::domain_error(std::string(format) + ": block " + std::to_string(block) +
                          " is so small that its reciprocal scale overflows; the result would be undefined");
}

}  // namespace tritcheck::rounding
