// The quantisers of weights whose rule is a formula: what ggml's row quantisers write for Q4_0, Q4_1, Q5_0, Q5_1, Q1_0,
// Q2_0, TQ1_0 and TQ2_0. (Q8_0, Q8_1 and Q8_K have files of their own; those of the other formats search for the best
// scale, which is no formula.)
//
//   ggml::quantize_row(ggml::Type::q4_0, ggml::Rounding::apart, x, row);
//
// The formulas are in the files of the formats (reference/formats/). Source: ggml of 2026-08, ggml-quants.c.
#pragma once

#include <cstdint>
#include <span>

#include "reference/ggml_blocks.h"

namespace tritcheck::ggml {

/// Whether there is a formula for that type here.
inline bool has_formula(Type type) {
  return traits(type).quantize != nullptr;
}

/// Quantises K = x.size() numbers into exactly a row of K. Throws std::invalid_argument for a wrong size or a type
/// without a formula, std::domain_error for NaN or infinite input and for a d so small that 1 / d overflows.
void quantize_row(Type type, Rounding rounding, std::span<const float> x, std::span<uint8_t> row);

}  // namespace tritcheck::ggml
