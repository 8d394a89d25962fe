// Method 2 of the dot products: as kernels go about it, with unsigned codes, and what their offset and the minima come
// to from the sums of the activations.
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "reference/ggml_dot.h"
#include "reference/half.h"

namespace tritcheck::ggml {
namespace {

constexpr size_t kGroup = 16;  // elements to a stored sum of q8_K; within one sub-block in every format

// Activations where they lie.
struct Layout {
  size_t elements, bytes, codes;
};
Layout layout(Acts acts) {
  if (acts == Acts::q8_k) return {256, 292, 4};
  return acts == Acts::q8_0 ? Layout{32, 34, 2} : Layout{32, 36, 4};
}

double half(const uint8_t* bytes) {
  return f16::to_float(static_cast<uint16_t>(bytes[0] + 256 * bytes[1]));
}

double single(const uint8_t* bytes) {
  uint32_t bits = 0;
  for (size_t i = 4; i-- > 0;) bits = 256 * bits + bytes[i];
  return std::bit_cast<float>(bits);
}

int64_t code(uint8_t byte) {
  return byte < 128 ? byte : byte - 256;
}

// What 16 elements under one sub-scale come to.
struct Sums {
  int64_t raw = 0;  // unsigned code times activation
  int64_t raw_magnitude = 0;
  int64_t acts = 0;
  int64_t acts_magnitude = 0;
};

Sums sums_of(const Block& x, size_t first, const uint8_t* codes) {
  Sums out;
  for (size_t i = 0; i < kGroup; ++i) {
    const int64_t q = code(codes[i]);
    const int64_t product = (int64_t{x.weight[first + i]} + x.offset[first + i]) * q;
    out.raw += product;
    out.raw_magnitude += product < 0 ? -product : product;
    out.acts += q;
    out.acts_magnitude += q < 0 ? -q : q;
  }
  return out;
}

double halved_until_it_divides(double scale) {
  double power = std::ldexp(1.0, std::ilogb(scale));
  while (std::fmod(scale, power) != 0) power /= 2;
  return power;
}

// Everything that follows from the terms, and from the two scales of each.
struct Scales {
  double x, y;
};
void complete(Dot& dot, const std::vector<Scales>& scales) {
  double reach = 0;
  for (size_t i = 0; i < dot.terms.size(); ++i) {
    Term& term = dot.terms[i];
    const auto [x, y] = scales[i];
    term.scale = x * y;
    const auto magnitude = static_cast<double>(term.magnitude);
    dot.total = std::fma(term.scale, static_cast<double>(term.sum), dot.total);
    dot.magnitude = std::fma(std::fabs(term.scale), magnitude, dot.magnitude);
    reach += std::fmax(1, std::fabs(x)) * std::fmax(1, std::fabs(y)) * std::fmax(1, magnitude);
    if (!std::isfinite(term.scale) || term.scale == 0) continue;
    const double power = halved_until_it_divides(term.scale);
    if (dot.grain == 0 || power < dot.grain) dot.grain = power;
  }
  if (!(reach < double{FLT_MAX} / 2)) dot.magnitude = std::numeric_limits<double>::infinity();
}

// One row of each side, walked along the activations.
class Walk {
 public:
  Walk(Type type, std::span<const uint8_t> x, std::span<const uint8_t> y)
      : type_(type), acts_(acts_of(type)), layout_(layout(acts_)), x_(x), y_(y) {}

  Dot run() {
    const size_t length = format(type_).elements;
    for (size_t e = 0; e < y_.size() / layout_.bytes * layout_.elements; e += kGroup) {
      if (e % length == 0) {
        const size_t bytes = format(type_).bytes;
        block_ = decode_in_order(type_, x_.subspan(e / length * bytes, bytes));
      }
      const uint8_t* y = y_.data() + e / layout_.elements * layout_.bytes;
      if (e % layout_.elements == 0) begin_terms(e / length, y);
      add(e % length, e % layout_.elements, y);
      dot_.additions += has_minima_ ? 2 : 1;
    }
    complete(dot_, scales_);
    return std::move(dot_);
  }

 private:
  void begin_terms(size_t b, const uint8_t* y) {
    const double d = acts_ == Acts::q8_k ? single(y) : half(y);
    has_minima_ = traits(type_).c.has_value();
    dot_.terms.push_back({b, 0, 0, 0});
    scales_.push_back({block_.d, d});
    if (!has_minima_) return;
    const bool stored = acts_ == Acts::q8_1;  // d * sum(q) as one number
    dot_.terms.push_back({b, 0, stored ? 1 : 0, stored ? 1 : 0});
    scales_.push_back({block_.c, stored ? half(y + 2) : d});
  }

  void add(size_t in_x, size_t in_y, const uint8_t* y) {
    Sums sums = sums_of(block_, in_x, y + layout_.codes + in_y);
    if (acts_ == Acts::q8_k) {
      const uint8_t* stored = y + 260 + in_y / kGroup * 2;
      sums.acts = int64_t{stored[0]} + 256 * code(stored[1]);
    }
    const int64_t offset = block_.offset[in_x];
    Term& weights = dot_.terms[dot_.terms.size() - (has_minima_ ? 2 : 1)];
    weights.sum += sums.raw - offset * sums.acts;
    weights.magnitude += sums.raw_magnitude + (offset < 0 ? -offset : offset) * sums.acts_magnitude;
    if (!has_minima_ || acts_ == Acts::q8_1) return;
    dot_.terms.back().sum += block_.minimum[in_x] * sums.acts;
    dot_.terms.back().magnitude += block_.minimum[in_x] * sums.acts_magnitude;
  }

  Type type_;
  Acts acts_;
  Layout layout_;
  std::span<const uint8_t> x_, y_;
  Block block_;
  bool has_minima_ = false;
  Dot dot_;
  std::vector<Scales> scales_;  // of each term
};

}  // namespace

Dot dot_in_order(Type type, std::span<const uint8_t> x, std::span<const uint8_t> y) {
  const auto [length, bytes] = std::pair(format(type).elements, format(type).bytes);
  const auto [acts_length, acts_bytes, codes] = layout(acts_of(type));
  if (x.empty() || x.size() % bytes != 0 || y.size() % acts_bytes != 0 ||
      x.size() / bytes * length != y.size() / acts_bytes * acts_length) {
    throw std::invalid_argument(std::string(format(type).name) + " dot_in_order: " + std::to_string(x.size()) +
                                " bytes of weights and " + std::to_string(y.size()) +
                                " of activations; pass rows of the same K, in blocks of " + std::to_string(bytes) +
                                " and " + std::to_string(acts_bytes) + " bytes");
  }
  return Walk(type, x, y).run();
}

}  // namespace tritcheck::ggml
