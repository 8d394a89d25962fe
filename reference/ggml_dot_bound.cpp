#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "reference/ggml_dot.h"
#include "reference/q8_0.h"
#include "reference/q8_1.h"
#include "reference/q8_k.h"

namespace tritcheck::ggml {

const blocks::Format& format(Acts acts) {
  switch (acts) {
    case Acts::q8_0:
      return q8_0::kFormat;
    case Acts::q8_1:
      return q8_1::kFormat;
    case Acts::q8_k:
      return q8_k::kFormat;
  }
  throw std::logic_error("ggml format: no such format of activations");
}

// The kernel: a stretch's products are spread over lanes, as they are or as unsigned codes with the offset apart, and
// summed in integers L, exact in int32; L goes to float, is multiplied by sub-scales, d_x and d_y one by one in some
// order, and is added to others in some order, at any of these stages.
//
// When nothing rounds. Write every scale as odd numbers and powers of two: d_x = X 2^a, d_y = Y 2^b. grain divides
// X Y 2^(a+b), so grain <= 2^(a+b). Products of all scales are whole multiples of grain, and so are their sums, which
// are at most `magnitude`, which is the sum of the absolute values of all of them; if that is at most 2^24 grain, a sum
// is n grain with |n| <= 2^24, a float32. A sum to which d_x is still to be applied (all its members have the same,
// else they were not added yet) is a multiple of 2^min(b), and at most magnitude / (|X| 2^a) <= 2^24 grain / 2^a <=
// 2^24 2^min(b), so it is n 2^min(b) with |n| <= 2^24; the same holds with d_x and d_y exchanged, and with neither
// applied, where it is a whole number up to 2^24. Sub-scales are whole (nvfp4's: times a power of two) and only make
// the multiples coarser. d_x d_y alone, and with a sub-scale, is no more than magnitude if any product it meets is not
// zero; if they are all zero, or d_x or d_y is, it may round, and is then multiplied with zero. All these numbers are
// multiples of 2^-149 because d_x and d_y are float32, and those with all scales applied are normal because grain is;
// `magnitude` is infinite where one of them could be too large.
//
// When it does. Let a term go through at most m roundings. Besides additions these are: L to float, two sub-scales, d_x
// d_y, the product; three more are granted to orders not thought of. Additions: `additions` in its lane, `lanes` when
// the lanes are added up, whether once or for each stretch. m = additions + lanes + 8. With u = 2^-24 each rounding is
// a factor 1 + e, |e| <= u, and m of them are 1 + g with |g| <= m u / (1 - m u). So
//
//   |got - exact| <= m u / (1 - m u) * sum of the |terms| <= m u / (1 - m u) * magnitude
//
// Underflow: additions, and products with whole numbers, are exact below the smallest normal number, being multiples of
// 2^-149. d_x d_y, with or without a sub-scale, may lose 2^-150 once, and (L d_x) d_y once: at most 2^-149 for each
// unit of a term's magnitude, and it goes through the same roundings afterwards. Kernels that flush denormals to zero
// are not covered.
//
// Last, the roundings of total: one for each term, of a number not larger than magnitude. Those of magnitude and of the
// bound itself, some 2^-53 for each term, are less than what m u / (1 - m u) exceeds (1 + u)^m - 1 by: (m u)^2 / 2, and
// m is larger than the number of terms.
double bound(const Dot& dot, int64_t lanes) {
  if (lanes < 1) {
    throw std::invalid_argument("ggml bound: " + std::to_string(lanes) + " lanes; a kernel has at least one");
  }
  if (!std::isfinite(dot.magnitude)) return std::numeric_limits<double>::infinity();
  if (dot.magnitude == 0) return 0;
  if (dot.grain >= 0x1p-126 && dot.magnitude <= 0x1p24 * dot.grain) return 0;
  const int64_t largest = int64_t{1} << 23;  // m u = 1/2: nothing useful beyond
  if (dot.additions > largest || lanes > largest || dot.additions + lanes + 8 > largest) {
    return std::numeric_limits<double>::infinity();
  }
  double units = 0;
  for (const Term& term : dot.terms) units += term.scale != 0 ? static_cast<double>(term.magnitude) : 0;
  const double mu = static_cast<double>(dot.additions + lanes + 8) * 0x1p-24;
  const double grow = mu / (1 - mu);
  const double of_total = static_cast<double>(dot.terms.size()) * 0x1p-53;
  return (grow + of_total) * dot.magnitude + (1 + grow) * units * 0x1p-149;
}

}  // namespace tritcheck::ggml
