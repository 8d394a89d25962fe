#include "reference/i8_s.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "reference/rounding.h"

namespace tritcheck::i8_s {
namespace {

int8_t clamp(double q) {
  return static_cast<int8_t>(std::clamp(q, -128.0, 127.0));
}

}  // namespace

Row quantize(Era era, std::span<const float> x) {
  double amax = era == Era::half_even ? 1e-5 : 0;
  rounding::require_finite("i8_s", x);
  for (float v : x) amax = std::max(amax, std::fabs(double{v}));
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
    row.q[i] = clamp(era == Era::half_even ? rounding::half_even(scaled) : rounding::half_away(scaled));
    row.sum += row.q[i];
  }
  return row;
}

GoldenRow quantize_golden(std::span<const double> x) {
  double amax = 0;
  rounding::require_finite("i8_s", x);
  for (double v : x) amax = std::max(amax, std::fabs(v));
  GoldenRow row;
  row.q.resize(x.size());
  if (amax == 0) return row;
  row.scale = 127.0 / amax;
  for (size_t i = 0; i < x.size(); ++i) {
    // x * 127 / amax keeps the largest element at exactly 127 where x * scale may overflow for denormal amax
    row.q[i] = clamp(rounding::half_even(x[i] * 127.0 / amax));
    row.sum += row.q[i];
  }
  return row;
}

}  // namespace tritcheck::i8_s
