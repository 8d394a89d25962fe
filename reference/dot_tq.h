// The oracles for TQ1_0 and TQ2_0: exact dot products of one row of weights with one Q8_K row, by two methods that
// share no code. They must agree on every input. And how far float32 kernels may be from them.
//
//   tq::Dot dot = tq::dot_explicit(tq::Weights::tq2_0, x, y);    // dot.blocks[b].sum, dot.total
//   double limit = tq::float_bound(dot, tq::roundings_of_lanes(dot.blocks.size(), 8));
//   if (!(std::fabs(got - dot.total) <= limit)) ...              // written so that NaN fails
//
// The scale of a block of weights is an fp16 number; zero, negative and denormal ones are plain arithmetic. If it, or
// the float32 scale of the activations, is NaN or infinite, the block sums still hold but no total is defined: kernels
// differ in what they make of infinity * 0 and of infinity - infinity.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/q8_k.h"
#include "reference/tq1_0.h"
#include "reference/tq2_0.h"

namespace tritcheck::tq {

/// The format of the weights.
enum class Weights : uint8_t { tq1_0, tq2_0 };

/// One block of 256: the exact integers, and the scales to apply in whatever order is wanted.
struct BlockDot {
  int64_t sum = 0;        ///< sum((code - 1) * q), |sum| <= 2 * 128 * 256 = 2^16
  int64_t magnitude = 0;  ///< sum(code * |q| + |q|) <= 2^17: no kernel's lanes, in whatever way they share the elements
                          ///< and the offset, have more between them
  float d_x = 0;          ///< of the weights; the fp16 number, exactly
  float d_y = 0;          ///< of the activations
  bool operator==(const BlockDot&) const = default;
};

/// All blocks of a row, and total = sum over blocks, in their order, of d_x * d_y * sum in float64. Each of these
/// products is exact (11 + 24 + 17 bits), so only the additions round: relative error at most 2^-53 of sum |d_x d_y
/// sum| each.
struct Dot {
  std::vector<BlockDot> blocks;
  double total = 0;
  bool operator==(const Dot&) const = default;
};

/// Method 1: decodes each weight to its value -1, 0, +1 (+2 for code 3 of TQ2_0), multiplies and adds. Does not read
/// bsums. x: whole blocks of weights; y: as many blocks of Q8_K. Throws std::invalid_argument if they are not.
Dot dot_explicit(Weights weights, std::span<const uint8_t> x, std::span<const uint8_t> y);

/// From where method 2 takes the offset sum(q).
enum class Offset : uint8_t {
  codes,  ///< from the codes themselves: equal to method 1 for every input
  bsums,  ///< from the sums stored with them, as ggml's SIMD kernels do. Differs if those are inconsistent, and so do
          ///< these kernels from the portable one. |sum| < 2^20 then, and `magnitude` allows for the stored sums; but
          ///< int16 lanes of a kernel may wrap, which this does not follow.
};

/// Method 2: walks the packed bytes as they are stored, multiplies the unsigned codes by the activation each field
/// belongs to, and takes the offset off at the end. Arguments and errors as dot_explicit.
Dot dot_offset(Weights weights, std::span<const uint8_t> x, std::span<const uint8_t> y, Offset offset = Offset::codes);

/// How far a float32 kernel may be from dot.total, as an absolute number.
///
/// The kernel: block b's products are spread over lanes, integers L(b, l) whose sum over l is the block's sum. They are
/// below 2^24, so float32 holds them exactly. A term t = d_x * d_y * L is made by two multiplications, in either order,
/// and the terms are added in some order. Let a term go through at most m roundings, both multiplications included (a
/// fused multiply-add only has fewer). With u = 2^-24 each rounding is a factor 1 + e, |e| <= u, and m of them are a
/// factor 1 + g with |g| <= m u / (1 - m u). So
///
///   |got - exact| <= m u / (1 - m u) * sum_b |d_x d_y| * sum_l |L(b, l)|
///
/// and sum_l |L(b, l)| <= magnitude(b), since each L is a sum of some code * q and some -q. The result itself does not
/// appear: lanes of thousands that cancel leave their errors behind in a result near zero.
///
/// Underflow: additions and products p * L are exact below the smallest normal number, being multiples of 2^-149. The
/// products d_x * d_y and (d_x * L) * d_y may lose 2^-150 there, once for every unit of magnitude at most; that is
/// included. Kernels that flush denormals to zero are not covered.
/// Also included: the float64 roundings of dot.total, at most one for each block. Those of the bound itself, a few
/// 2^-53, are less than what m u / (1 - m u) exceeds (1 + u)^m - 1 by.
///
/// Returns infinity where an order could overflow float32, and for NaN or infinite scales: nothing is promised then.
/// Throws std::invalid_argument unless 2 <= roundings <= 2^23.
double float_bound(const Dot& dot, int64_t roundings);

/// m for kernels that keep `lanes` float accumulators over all blocks and add these up, in any order, at the end; or
/// that add up the lanes of each block first. 2 multiplications, blocks - 1 and lanes - 1 additions (the first into an
/// empty accumulator is exact): blocks + lanes. A float lane of its own for the offset counts as a lane.
int64_t roundings_of_lanes(size_t blocks, int64_t lanes);

/// m for any order of the blocks * lanes terms: 2 multiplications and all the additions, blocks * lanes + 1. Up to 256
/// lanes; few are enough for the bound to exceed one unit |d_x d_y|, and then it proves little.
int64_t roundings_any_order(size_t blocks, int64_t lanes);

}  // namespace tritcheck::tq
