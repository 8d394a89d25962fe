// Method 1 of the dot products: one weight after the other.
#include "reference/ggml_dot.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>

#include "reference/half.h"
#include "reference/q8_0.h"
#include "reference/q8_1.h"
#include "reference/q8_k.h"

namespace tritcheck::ggml {
namespace {

struct Activations {
  double d = 0;
  double s = 0;  // q8_1 only
  std::vector<int8_t> q;
};

Activations activations(Acts acts, std::span<const uint8_t> bytes) {
  const auto codes = [](const auto& block) { return std::vector<int8_t>(block.q.begin(), block.q.end()); };
  switch (acts) {
    case Acts::q8_0: {
      const q8_0::Block block = q8_0::unpack(bytes);
      return {f16::to_float(block.d), 0, codes(block)};
    }
    case Acts::q8_1: {
      const q8_1::Block block = q8_1::unpack(bytes);
      return {f16::to_float(block.d), f16::to_float(block.s), codes(block)};
    }
    case Acts::q8_k: {
      const q8_k::Block block = q8_k::unpack(bytes);
      return {block.d, 0, codes(block)};
    }
  }
  return {};
}

// The largest power of two that divides x: its 53 bits as a whole number, and the zeros at their end.
double power_of_two_in(double x) {
  int exponent = 0;
  const auto bits = static_cast<uint64_t>(std::ldexp(std::frexp(std::fabs(x), &exponent), 53));
  return std::ldexp(1.0, exponent - 53 + std::countr_zero(bits));
}

class Collected {
 public:
  // `x` and `y` are the scales of the two sides.
  void add(size_t block, double x, double y, int64_t sum, int64_t magnitude) {
    const double scale = x * y;
    dot_.terms.push_back({block, scale, sum, magnitude});
    // fused: one rounding, the same on every machine
    dot_.total = std::fma(scale, static_cast<double>(sum), dot_.total);
    dot_.magnitude = std::fma(std::fabs(scale), static_cast<double>(magnitude), dot_.magnitude);
    if (std::isfinite(scale) && scale != 0) {
      const double power = power_of_two_in(scale);
      dot_.grain = dot_.grain == 0 ? power : std::min(dot_.grain, power);
    }
    reach_ += std::max(1.0, std::fabs(x)) * std::max(1.0, std::fabs(y)) * std::max(1.0, static_cast<double>(magnitude));
  }

  Dot take(int64_t additions) {
    dot_.additions = additions;
    if (!(2 * reach_ < double{FLT_MAX})) dot_.magnitude = std::numeric_limits<double>::infinity();
    return std::move(dot_);
  }

 private:
  Dot dot_;
  double reach_ = 0;  // no number on the way of any kernel is larger than this, but for its roundings
};

// Both rows' numbers under the same scales.
void add_stretch(Collected& out, Type type, size_t b, const Block& x, size_t first, const Activations& y) {
  int64_t sum = 0;
  int64_t magnitude = 0;
  int64_t minimum_sum = 0;
  int64_t minimum_magnitude = 0;
  for (size_t i = 0; i < y.q.size(); ++i) {
    const size_t e = first + i;
    const int64_t size = std::abs(y.q[i]);
    sum += int64_t{x.weight[e]} * y.q[i];
    // the unsigned code's product in one lane, the offset's in another: neither can cancel there
    magnitude += (std::abs(x.weight[e] + x.offset[e]) + std::abs(x.offset[e])) * size;
    minimum_sum += int64_t{x.minimum[e]} * y.q[i];
    minimum_magnitude += x.minimum[e] * size;
  }
  out.add(b, x.d, y.d, sum, magnitude);
  if (acts_of(type) == Acts::q8_1) out.add(b, x.c, y.s, 1, 1);
  if (traits(type).minima != 0) out.add(b, x.c, y.d, minimum_sum, minimum_magnitude);
}

}  // namespace

Dot dot(Type type, std::span<const uint8_t> x, std::span<const uint8_t> y) {
  const blocks::Format& weights = format(type);
  const blocks::Format& acts = format(acts_of(type));
  const size_t k = blocks::count(weights, "dot", x.size()) * weights.elements;
  const size_t k_acts = blocks::count(acts, "dot", y.size()) * acts.elements;
  if (k != k_acts) {
    throw std::invalid_argument(std::string(weights.name) + " dot: " + std::to_string(k) + " weights and " +
                                std::to_string(k_acts) + " activations; pass rows of the same K");
  }
  Collected out;
  for (size_t b = 0; b < k / weights.elements; ++b) {
    const Block block = decode(type, blocks::nth(weights, x, b));
    // no block of weights is shorter than one of the activations it meets
    for (size_t first = 0; first < weights.elements; first += acts.elements) {
      const size_t number = (b * weights.elements + first) / acts.elements;
      add_stretch(out, type, b, block, first, activations(acts_of(type), blocks::nth(acts, y, number)));
    }
  }
  // no sub-block is shorter than 16; where there are minima, these may be added apart
  const bool apart = acts_of(type) == Acts::q8_1 || traits(type).minima != 0;
  return out.take(static_cast<int64_t>(k / 16) * (apart ? 2 : 1));
}

}  // namespace tritcheck::ggml
