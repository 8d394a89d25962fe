// The oracles for ik_llama.cpp's ternary formats: exact sums of one row of weights with one record of activations, for
// each of its four classes, by two methods that share no code. What a kernel makes of them, and how far it may be off.
//
//   iq_bn::Dot dot = iq_bn::dot_explicit(iq_bn::Type::iq2_bn, x, 0, q8_k64::Kind::k64, y);
//   if (!(std::fabs(got - iq_bn::total(dot)) <= iq_bn::float_bound(dot))) ...     // written so that NaN fails
//
// A kernel's result is y = D * sum over classes of (d_c * S_c - m_c), with the row's scale D and S_c = sum(code * q).
// As code = weight + 1 and m_c = d_c * sum(q), that is D * sum(d_c * sum(weight * q)), but for the roundings in m.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/iq_bn.h"
#include "reference/q8_k64.h"

namespace tritcheck::iq_bn {

/// What ik_llama.cpp multiplies weights of that type with: k16 for iq2_bn_r4, else k64. Every type can be multiplied
/// with either here.
q8_k64::Kind acts_of(Type type);

/// The exact integers of one class.
struct ClassDot {
  int64_t sum = 0;        ///< sum(weight * q)
  int64_t codes = 0;      ///< S_c = sum(code * q)
  int64_t magnitude = 0;  ///< sum(code * |q|): no kernel's lanes have more between them
  float d = 0;
  bool operator==(const ClassDot&) const = default;
};

struct Dot {
  std::array<ClassDot, q8_k64::kClasses> classes{};
  float scale = 0;       ///< D, of the row of weights
  std::vector<float> m;  ///< as the record has them, right or wrong
  bool operator==(const Dot&) const = default;
};

/// Method 1: decodes each weight by its place, multiplies it with the activation and adds up. x: what row_bytes says,
/// y: a record of the same K; `row` is 0, or 0..3 for iq2_bn_r4. Throws std::invalid_argument if they are not.
Dot dot_explicit(Type type, std::span<const uint8_t> x, size_t row, q8_k64::Kind kind, std::span<const uint8_t> y);
/// Method 2: walks the bytes as they are stored, multiplies unsigned codes, and takes sum(q) off at the end.
Dot dot_offset(Type type, std::span<const uint8_t> x, size_t row, q8_k64::Kind kind, std::span<const uint8_t> y);

/// D * (sum(d_c * S_c) - sum(m)) in float64, with the record's own m: what a kernel is to compute. At most nine
/// roundings of 2^-53; products d_c * S_c are exact for K below 5 million.
double total(const Dot& dot);
/// D * sum(d_c * sum(weight * q)) in float64: what the numbers mean. Equal to total() but for the roundings in m.
double total_of_weights(const Dot& dot);

/// How far a float32 kernel may be from total(dot), as an absolute number. It may turn each class's products into
/// float in as many as `lanes` sums. Infinity where an order could overflow float32, and for NaN or infinite scales:
/// nothing is promised then. Derived in dot_iq_bn_bound.cpp. Throws std::invalid_argument unless 1 <= lanes <= 2^20.
double float_bound(const Dot& dot, int64_t lanes = 1);

}  // namespace tritcheck::iq_bn
