// The oracles for the dot products of ggml's block formats: exact sums of one row of weights with one row of
// activations, by two methods that share no code beyond the tables of four-bit values. And how far a float32 kernel may
// be from them: not at all where every order of adding is exact, else a derived bound.
//
//   ggml::Dot dot = ggml::dot(ggml::Type::q4_k, x, y);
//   if (!(std::fabs(got - dot.total) <= ggml::bound(dot))) ...      // written so that NaN fails
//
// Source of the pairings: the table of types of ggml of 2026-08 (vec_dot_type).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/ggml_blocks.h"

namespace tritcheck::ggml {

const blocks::Format& format(Acts acts);
/// A stretch of the row under the same scales: all of a weight block, or as much of it as meets one block of
/// activations. Minima make terms of their own.
struct Term {
  size_t block = 0;       ///< weight block, counted from the start of the row
  double scale = 0;       ///< d_x * d_y (minima: c_x * d_y, with q8_1 c_x * s_y); exact, both have 24 bits at most
  int64_t sum = 0;        ///< sum(weight * q), sum(minimum * q), or 1 with q8_1's s
  int64_t magnitude = 0;  ///< what the partial sums of no kernel exceed, however it spreads elements and offsets over
                          ///< lanes: sum of (|weight + offset| + |offset|) * |q| with the offset of ggml::Block, that
                          ///< is |sub-scale| * (code + offset) * |q|, and |weight * q| where the format has no offset;
                          ///< |minimum * q|; 1 with q8_1's s
  bool operator==(const Term&) const = default;
};

struct Dot {
  /// Stretch after stretch: of the weights, and then of the minima (or m) if the format has any.
  std::vector<Term> terms;
  double total = 0;  ///< sum of scale * sum, within one float64 rounding for each term of magnitude below
  /// Sum of |scale| * magnitude. Not finite where a scale is not, and infinite where the products of both sides' scales
  /// and the integers, in some order, could overflow float32.
  double magnitude = 0;
  /// The largest power of two that divides every nonzero scale; 0 if there is none. Every partial sum in every order is
  /// a multiple of it.
  double grain = 0;
  int64_t additions = 0;  ///< float additions that one kernel's accumulator sees at most: one for each 16 elements (no
                          ///< sub-block is shorter), and as many for minima. A kernel that adds single products as
                          ///< floats has more.
};

/// Method 1: decodes every weight by its place (ggml::decode) and multiplies element by element. x: whole blocks of
/// weights; y: as many elements of activations. q8_K's bsums are not read. Throws std::invalid_argument if the rows are
/// not of the same length, std::domain_error as decode().
Dot dot(Type type, std::span<const uint8_t> x, std::span<const uint8_t> y);
/// Method 2: along the bytes (ggml::decode_in_order), with unsigned codes and the offset taken off the sum at the end,
/// and minima from q8_K's bsums. Equal to method 1 wherever those are the sums of the codes.
Dot dot_in_order(Type type, std::span<const uint8_t> x, std::span<const uint8_t> y);

/// How far a float32 kernel may be from dot.total; 0 where magnitude <= 2^24 * grain, because then every partial sum,
/// in whatever order and however spread over lanes, is a float32. Else a bound on the roundings of at most `lanes`
/// accumulators, derived in ggml_dot_bound.cpp. Infinity where magnitude is not finite: nothing is promised then; and
/// for more than 2^23 additions and lanes together. Throws std::invalid_argument for less than one lane.
double bound(const Dot& dot, int64_t lanes = 64);

}  // namespace tritcheck::ggml
