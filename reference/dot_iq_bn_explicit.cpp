#include <cstdlib>
#include <stdexcept>
#include <string>

#include "reference/dot_iq_bn.h"

namespace tritcheck::iq_bn {

q8_k64::Kind acts_of(Type type) {
  return type == Type::iq2_bn_r4 ? q8_k64::Kind::k16 : q8_k64::Kind::k64;
}

Dot dot_explicit(Type type, std::span<const uint8_t> x, size_t row, q8_k64::Kind kind, std::span<const uint8_t> y) {
  const Rows weights = unpack(type, x);
  const q8_k64::Row acts = q8_k64::unpack(kind, y);
  const size_t k = acts.q.size();
  if (weights.codes.size() != k * format(type).rows || row >= format(type).rows) {
    throw std::invalid_argument(std::string(format(type).name) + " dot_explicit: row " + std::to_string(row) + " of " +
                                std::to_string(weights.codes.size()) + " weights in " +
                                std::to_string(format(type).rows) + " rows and " + std::to_string(k) +
                                " activations; pass rows of the same K");
  }
  Dot dot;
  dot.scale = weights.scales[row];
  dot.m = acts.m;
  for (size_t c = 0; c < q8_k64::kClasses; ++c) dot.classes[c].d = acts.d[c];
  for (size_t e = 0; e < k; ++e) {
    ClassDot& of_class = dot.classes[q8_k64::class_of(kind, e)];
    const int code = weights.codes[row * k + e];
    const int weight = code - 1;
    of_class.sum += weight * acts.q[e];
    of_class.codes += code * acts.q[e];
    of_class.magnitude += code * std::abs(acts.q[e]);
  }
  return dot;
}

}  // namespace tritcheck::iq_bn
