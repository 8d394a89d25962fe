#include "reference/i8_s.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace tritcheck::i8_s {
namespace {

// Ties to even, independent of the rounding mode the caller has set.
double round_half_even(double x) {
  const double down = std::floor(x);
  const double frac = x - down;
  if (frac < 0.5) return down;
  if (frac > 0.5) return down + 1;
  return std::fmod(down, 2) == 0 ? down : down + 1;
}

void require_finite(double x, size_t at) {
  if (!std::isfinite(x)) {
    throw std::domain_error("i8_s: element " + std::to_string(at) + " is not finite; the result would be undefined");
  }
}

int8_t clamp(double q) {
  return static_cast<int8_t>(std::clamp(q, -128.0, 127.0));
}

}  // namespace

Row quantize(Era era, std::span<const float> x) {
  double amax = era == Era::half_even ? 1e-5 : 0;
  for (size_t i = 0; i < x.size(); ++i) {
    require_finite(x[i], i);
    amax = std::max(amax, std::fabs(double{x[i]}));
  }
  Row row;
  row.q.resize(x.size());
  if (amax == 0) return row;
  row.scale = static_cast<float>(127.0 / amax);
  if (!std::isfinite(row.scale)) {
    throw std::domain_error(
        "i8_s: the largest magnitude is so small that its scale overflows; the result would be undefined");
  }
  for (size_t i = 0; i < x.size(); ++i) {
    const float scaled = x[i] * row.scale;
    row.q[i] = clamp(era == Era::half_even ? round_half_even(scaled) : std::round(double{scaled}));
    row.sum += row.q[i];
  }
  return row;
}

GoldenRow quantize_golden(std::span<const double> x) {
  double amax = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    require_finite(x[i], i);
    amax = std::max(amax, std::fabs(x[i]));
  }
  GoldenRow row;
  row.q.resize(x.size());
  if (amax == 0) return row;
  row.scale = 127.0 / amax;
  for (size_t i = 0; i < x.size(); ++i) {
    // x * 127 / amax keeps the largest element at exactly 127 where x * scale may overflow for denormal amax
    row.q[i] = clamp(round_half_even(x[i] * 127.0 / amax));
    row.sum += row.q[i];
  }
  return row;
}

}  // namespace tritcheck::i8_s
