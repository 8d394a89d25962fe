// The float side: y = D * sum(d_c * S_c - m_c).
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "reference/dot_iq_bn.h"

namespace tritcheck::iq_bn {

double total(const Dot& dot) {
  double sum = 0;
  for (const ClassDot& c : dot.classes) sum += double{c.d} * static_cast<double>(c.codes);
  for (float m : dot.m) sum -= m;
  return dot.scale * sum;
}

double total_of_weights(const Dot& dot) {
  double sum = 0;
  for (const ClassDot& c : dot.classes) sum += double{c.d} * static_cast<double>(c.sum);
  return dot.scale * sum;
}

// The kernel: the products of class c are spread over as many as `lanes` integers L(c, l), exact in int32, whose sum is
// S_c. Each goes to float, is multiplied by d_c and D one by one in some order (or all terms by D after they were
// added), and is added to others and to -m_c (which meets D as well), in some order.
//
// Let a term go through at most r roundings: the conversion, which rounds if |L| > 2^24, the two multiplications, and
// the additions, of which there are one less than terms: 4 lanes + 4 - 1 with four m. So r = 4 lanes + 6 is enough
// (fused multiply-adds only have fewer); 2 more are granted to orders not thought of. With u = 2^-24 each is a factor
// 1 + e, |e| <= u, and r of them are 1 + g with |g| <= r u / (1 - r u). So
//
//   |got - exact| <= r u / (1 - r u) * A,  A = |D| * (sum_c |d_c| * sum_l |L(c, l)| + sum |m_c|)
//
// and sum_l |L(c, l)| <= magnitude(c). The result itself does not appear: S_c and m_c cancel, as the offset alone makes
// them large, and leave their errors behind.
//
// Underflow: additions, and products d_c * L, are exact below the smallest normal number, being multiples of 2^-149. A
// product with D may lose 2^-150 there: once for all if the sum is multiplied, once for each of the terms if these are,
// and for each unit of magnitude if d_c * D is made first. Kernels that flush denormals to zero are not covered.
//
// Last, the roundings of total(): four or three additions of products, as many of m and the product with D, each at
// most 2^-53 of A. Those of A and of the bound itself are less than what r u / (1 - r u) exceeds (1 + u)^r - 1 by.
double float_bound(const Dot& dot, int64_t lanes) {
  if (lanes < 1 || lanes > int64_t{1} << 20) {
    throw std::invalid_argument("iq_bn float_bound: " + std::to_string(lanes) +
                                " lanes; a kernel has at least one, and beyond 2^20 there is no useful bound");
  }
  const double scale = std::fabs(double{dot.scale});
  double inner = 0;  // A / |D|
  double units = 4;  // of 2^-150: the m
  double reach = 0;  // no number on the way of any kernel is larger than twice this
  for (const ClassDot& c : dot.classes) {
    const double d = std::fabs(double{c.d});
    const auto magnitude = static_cast<double>(c.magnitude);
    inner += d * magnitude;
    units += std::max(1.0, magnitude);
    reach += std::max(1.0, d) * std::max(1.0, magnitude);
  }
  for (float m : dot.m) {
    inner += std::fabs(double{m});
    reach += std::fabs(double{m});
  }
  reach *= std::max(1.0, scale);
  // a NaN gets past max(), but not past the product
  if (!(2 * reach < double{FLT_MAX}) || !std::isfinite(scale * inner)) return std::numeric_limits<double>::infinity();
  if (scale == 0 || inner == 0) return 0;
  const double ru = static_cast<double>(4 * lanes + 8) * 0x1p-24;
  const double grow = ru / (1 - ru);
  return (grow + 9 * 0x1p-53) * scale * inner + (1 + grow) * units * 0x1p-150;
}

}  // namespace tritcheck::iq_bn
