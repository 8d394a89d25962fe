// The quantisers of weights whose rule is a formula: what ggml's row quantisers write for Q4_0, Q4_1, Q5_0, Q5_1, Q1_0,
// Q2_0, TQ1_0 and TQ2_0. (Q8_0, Q8_1 and Q8_K have files of their own; those of the other formats search for the best
// scale, which is no formula.)
//
//   ggml::quantize_row(ggml::Type::q4_0, ggml::Rounding::apart, x, row);
//
// All in float32, scales stored as fp16 but used unrounded:
//   Q4_0, Q5_0    d = m / -8 (-16), m the element of largest magnitude, with its sign, the first of equals;
//                 code = trunc(x / d + 8.5 (16.5)), at most 15 (31), with x / d as x * (1 / d)
//   Q4_1, Q5_1    d = (largest - smallest) / 15 (31), m = smallest; code = trunc((x - m) * (1 / d) + 0.5), at most 15
//   (31) Q1_0          d = mean of |x|, added in order; code 1 for x >= 0 Q2_0          d = max |x|; code = round(x *
//   (1 / d)) + 1, ties away from zero, clamped to 0..3 TQ1_0, TQ2_0  d = max |x|; code = round(x * (1 / d)) + 1, ties
//   away from zero
// with 1 / d taken as 0 for d = 0. Source: ggml of 2026-08, ggml-quants.c.
#pragma once

#include <cstdint>
#include <span>

#include "reference/ggml_blocks.h"

namespace tritcheck::ggml {

/// Whether there is a formula for that type here.
bool has_formula(Type type);

/// Compilers may round x * (1 / d) + 8.5 once (fused, the habit for ARM) or twice (apart): both are right.
enum class Rounding : uint8_t { apart, fused };
inline constexpr Rounding kRoundings[] = {Rounding::apart, Rounding::fused};

/// Quantises K = x.size() numbers into exactly a row of K. Throws std::invalid_argument for a wrong size or a type
/// without a formula, std::domain_error for NaN or infinite input and for a d so small that 1 / d overflows.
void quantize_row(Type type, Rounding rounding, std::span<const float> x, std::span<uint8_t> row);

}  // namespace tritcheck::ggml
