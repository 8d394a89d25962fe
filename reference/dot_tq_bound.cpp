#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "reference/dot_tq.h"

namespace tritcheck::tq {

double float_bound(const Dot& dot, int64_t roundings) {
  if (roundings < 2 || roundings > int64_t{1} << 23) {
    throw std::invalid_argument("tq float_bound: " + std::to_string(roundings) +
                                " roundings; there are at least two multiplications, and beyond 2^23 no useful bound");
  }
  double magnitude = 0;  // sum of |terms|
  double units = 0;      // of magnitude, where underflow may cost 2^-150
  double reach = 0;      // no intermediate of any order is larger than twice this
  for (const BlockDot& b : dot.blocks) {
    const double a = static_cast<double>(b.magnitude);
    const double d_x = std::fabs(double{b.d_x});
    const double d_y = std::fabs(double{b.d_y});
    magnitude += d_x * d_y * a;
    units += d_x != 0 && d_y != 0 ? a : 0;
    reach += std::max(1.0, d_x) * d_y * std::max(1.0, a);
  }
  if (2 * reach >= double{FLT_MAX} || std::isnan(magnitude)) return std::numeric_limits<double>::infinity();
  const double mu = static_cast<double>(roundings) * 0x1p-24;
  const double grow = mu / (1 - mu);
  const double of_total = static_cast<double>(dot.blocks.size()) * 0x1p-53;
  return (grow + of_total) * magnitude + (1 + grow) * units * 0x1p-150;
}

int64_t roundings_of_lanes(size_t blocks, int64_t lanes) {
  return static_cast<int64_t>(blocks) + lanes;
}

int64_t roundings_any_order(size_t blocks, int64_t lanes) {
  return static_cast<int64_t>(blocks) * lanes + 1;
}

}  // namespace tritcheck::tq
