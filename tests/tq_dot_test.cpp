// The oracles for TQ1_0 and TQ2_0: against a worked dot, against each other, and the bound against float32 kernels that
// add in different orders.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>

#include "reference/dot_tq.h"
#include "reference/half.h"
#include "reference/prng.h"

namespace tritcheck::tq {
namespace {

using Bytes = std::vector<uint8_t>;

size_t block_bytes(Weights weights) {
  return weights == Weights::tq1_0 ? tq1_0::kBytes : tq2_0::kBytes;
}

// A row of weights from codes, all blocks with the same scale.
Bytes row_of(Weights weights, const std::vector<uint8_t>& codes, uint16_t d) {
  Bytes row(codes.size() / 256 * block_bytes(weights));
  for (size_t b = 0; b < codes.size() / 256; ++b) {
    const auto out = std::span(row).subspan(b * block_bytes(weights), block_bytes(weights));
    tq1_0::Block one;
    std::copy_n(codes.begin() + static_cast<std::ptrdiff_t>(b * 256), 256, one.codes.begin());
    one.d = d;
    if (weights == Weights::tq1_0) {
      tq1_0::pack(one, out);
    } else {
      tq2_0::pack({one.codes, one.d}, out);
    }
  }
  return row;
}

Bytes activations_of(const std::vector<q8_k::Block>& blocks) {
  Bytes row(blocks.size() * q8_k::kBytes);
  for (size_t b = 0; b < blocks.size(); ++b) {
    q8_k::pack(blocks[b], std::span(row).subspan(b * q8_k::kBytes, q8_k::kBytes));
  }
  return row;
}

q8_k::Block constant_block(int8_t q, float d) {
  q8_k::Block block;
  block.q.fill(q);
  block.d = d;
  block.bsums = q8_k::sums_of(block.q);
  return block;
}

Bytes worked_activations() {
  std::vector<float> x;
  for (int i = 0; i < 256; ++i) x.push_back(static_cast<float>(i - 128) / 64);
  Bytes row(q8_k::kBytes);
  q8_k::quantize_row(x, row);
  return row;
}

Bytes worked_weights(Weights weights) {
  std::vector<uint8_t> codes;
  for (size_t e = 0; e < 256; ++e) codes.push_back(static_cast<uint8_t>(e % 3));
  return row_of(weights, codes, 0x3800);
}

TEST(TqDot, WorkedDot) {
  for (Weights weights : {Weights::tq1_0, Weights::tq2_0}) {
    const Dot dot = dot_explicit(weights, worked_weights(weights), worked_activations());
    ASSERT_EQ(dot.blocks.size(), 1U);
    EXPECT_EQ(dot.blocks[0].sum, 42);
    EXPECT_EQ(dot.blocks[0].d_x, 0.5F);
    EXPECT_EQ(dot.total, 42 * 0.5 * double{dot.blocks[0].d_y});
    EXPECT_EQ(static_cast<float>(dot.total), 0.330708653F);
    EXPECT_EQ(dot, dot_offset(weights, worked_weights(weights), worked_activations()));
    EXPECT_EQ(dot, dot_offset(weights, worked_weights(weights), worked_activations(), Offset::bsums));
  }
}

// Eight lanes as ggml's AVX2 kernel for TQ2_0 shares the elements and the sums out, added up in its order.
float avx2_order(const Bytes& x, const Bytes& y) {
  float lanes[8] = {};
  for (size_t b = 0; b < x.size() / tq2_0::kBytes; ++b) {
    const auto w = tq2_0::unpack(std::span(x).subspan(b * tq2_0::kBytes, tq2_0::kBytes));
    const auto a = q8_k::unpack(std::span(y).subspan(b * q8_k::kBytes, q8_k::kBytes));
    const volatile float d = a.d * f16::to_float(w.d);
    for (size_t l = 0; l < 8; ++l) {
      int sum = -a.bsums[2 * l] - a.bsums[2 * l + 1];
      for (size_t e = 0; e < 256; ++e) {
        if (e % 32 / 4 == l) sum += w.codes[e] * a.q[e];
      }
      const volatile float term = static_cast<float>(sum) * d;
      lanes[l] = lanes[l] + term;
    }
  }
  float four[4];
  for (size_t l = 0; l < 4; ++l) four[l] = lanes[l + 4] + lanes[l];
  return (four[0] + four[2]) + (four[1] + four[3]);
}

// The number the built library answered. It is 59 ulp off, because its lanes hold thousands that cancel to 42.
TEST(TqDot, BoundHoldsForTheLibrarysAnswer) {
  const float answer = avx2_order(worked_weights(Weights::tq2_0), worked_activations());
  EXPECT_EQ(answer, 0.330710411F);
  const Dot dot = dot_offset(Weights::tq2_0, worked_weights(Weights::tq2_0), worked_activations());
  const double error = std::fabs(double{answer} - dot.total);
  EXPECT_LE(error, float_bound(dot, roundings_of_lanes(1, 8)));
  EXPECT_GT(error, std::fabs(dot.total) * 9 * 0x1p-24) << "a bound by the result alone would have done";
}

TEST(TqDot, ExtremesOfABlock) {
  const Bytes all_twos = row_of(Weights::tq2_0, std::vector<uint8_t>(256, 3), 0x3C00);
  for (int q : {-128, 127}) {
    const Bytes y = activations_of({constant_block(static_cast<int8_t>(q), 1)});
    const Dot dot = dot_explicit(Weights::tq2_0, all_twos, y);
    EXPECT_EQ(dot.blocks[0].sum, 512 * q);
    EXPECT_EQ(dot.blocks[0].magnitude, 1024 * std::abs(q));
    EXPECT_EQ(dot, dot_offset(Weights::tq2_0, all_twos, y));
    EXPECT_EQ(dot, dot_offset(Weights::tq2_0, all_twos, y, Offset::bsums));
  }
}

TEST(TqDot, AgreeOnEveryByteValueAtEveryPlace) {
  q8_k::Block a;
  for (size_t e = 0; e < 256; ++e) a.q[e] = static_cast<int8_t>(e * 37 - 128);
  a.bsums = q8_k::sums_of(a.q);
  a.d = -0.75F;
  const Bytes y = activations_of({a});
  for (Weights weights : {Weights::tq1_0, Weights::tq2_0}) {
    for (size_t at = 0; at < block_bytes(weights) - 2; ++at) {
      for (int value = 0; value < 256; ++value) {
        Bytes x(block_bytes(weights), 0x1B);
        x[at] = static_cast<uint8_t>(value);
        const Dot dot = dot_explicit(weights, x, y);
        ASSERT_EQ(dot, dot_offset(weights, x, y)) << "byte " << at << " = " << value;
        ASSERT_EQ(dot, dot_offset(weights, x, y, Offset::bsums)) << "byte " << at << " = " << value;
      }
    }
  }
}

// Random weights, in half of the cases extreme activations; any finite scale, sometimes denormal or negative.
struct Problem {
  Weights weights = Weights::tq1_0;
  Bytes x;
  Bytes y;
};

Problem random_problem() {
  Problem p;
  p.weights = *rc::gen::element(Weights::tq1_0, Weights::tq2_0);
  const size_t blocks = *rc::gen::inRange<size_t>(1, 9);
  const bool extreme = *rc::gen::arbitrary<bool>();
  const int exponent = *rc::gen::inRange(-30, 20);
  Prng rng(*rc::gen::arbitrary<uint64_t>());
  for (size_t i = 0; i < blocks * block_bytes(p.weights); ++i) p.x.push_back(static_cast<uint8_t>(rng.below(256)));
  std::vector<q8_k::Block> activations(blocks);
  for (size_t b = 0; b < blocks; ++b) {
    uint8_t* high = &p.x[(b + 1) * block_bytes(p.weights) - 1];
    if ((*high & 0x7C) == 0x7C) *high ^= 0x40;  // neither NaN nor infinite
    for (auto& q : activations[b].q)
      q = static_cast<int8_t>(extreme ? (rng.below(2) ? 127 : -128) : rng.between(-128, 127));
    activations[b].d = std::ldexp(static_cast<float>(rng.between(-1000000, 1000000)), exponent - 20);
    activations[b].bsums = q8_k::sums_of(activations[b].q);
  }
  p.y = activations_of(activations);
  return p;
}

RC_GTEST_PROP(TqDot, AgreeOnRandomRows, ()) {
  const Problem p = random_problem();
  const Dot dot = dot_explicit(p.weights, p.x, p.y);
  RC_ASSERT(dot == dot_offset(p.weights, p.x, p.y));
  RC_ASSERT(dot == dot_offset(p.weights, p.x, p.y, Offset::bsums));
  for (const BlockDot& b : dot.blocks) {
    RC_ASSERT(std::abs(b.sum) <= b.magnitude);
    RC_ASSERT(b.magnitude <= 1 << 17);
  }
}

TEST(TqDot, WrongSumsSeparateTheTwoOffsets) {
  q8_k::Block a = constant_block(5, 1);
  a.bsums[3] = static_cast<int16_t>(a.bsums[3] + 100);
  const Bytes y = activations_of({a});
  const Bytes x = worked_weights(Weights::tq1_0);
  const Dot right = dot_explicit(Weights::tq1_0, x, y);
  EXPECT_EQ(right, dot_offset(Weights::tq1_0, x, y));
  const Dot kernel = dot_offset(Weights::tq1_0, x, y, Offset::bsums);
  EXPECT_EQ(kernel.blocks[0].sum, right.blocks[0].sum - 100);
  EXPECT_EQ(kernel.blocks[0].magnitude, right.blocks[0].magnitude + 100);
}

// Float32 kernels: the elements dealt out to lanes at random, with or without the offset in lanes of their own, the two
// multiplications in either order, the terms of all blocks in one shuffled sum.
float shuffled_kernel(const Problem& p, size_t lanes, bool offset_apart, bool weights_first, Prng& rng) {
  std::vector<float> terms;
  for (size_t b = 0; b < p.y.size() / q8_k::kBytes; ++b) {
    const auto x = std::span(p.x).subspan(b * block_bytes(p.weights), block_bytes(p.weights));
    const auto a = q8_k::unpack(std::span(p.y).subspan(b * q8_k::kBytes, q8_k::kBytes));
    const auto codes = p.weights == Weights::tq1_0 ? tq1_0::unpack(x).codes : tq2_0::unpack(x).codes;
    const float d_x = f16::to_float(blocks::load_u16(x, x.size() - 2));
    std::vector<int> sums(offset_apart ? 2 * lanes : lanes);
    for (size_t e = 0; e < 256; ++e) {
      sums[rng.below(lanes)] += codes[e] * a.q[e];
      sums[sums.size() - 1 - rng.below(lanes)] -= a.q[e];
    }
    for (int sum : sums) {
      volatile float term = weights_first ? d_x * static_cast<float>(sum) : d_x * a.d;
      term = term * (weights_first ? a.d : static_cast<float>(sum));
      terms.push_back(static_cast<float>(term));
    }
  }
  float total = 0;
  for (size_t n = terms.size(); n > 0; --n) {
    std::swap(terms[n - 1], terms[rng.below(n)]);
    total += terms[n - 1];
  }
  return total;
}

RC_GTEST_PROP(TqDot, BoundHoldsForAnyOrder, ()) {
  const Problem p = random_problem();
  const auto lanes = *rc::gen::inRange<size_t>(1, 17);
  const bool apart = *rc::gen::arbitrary<bool>();
  const bool weights_first = *rc::gen::arbitrary<bool>();
  Prng rng(*rc::gen::arbitrary<uint64_t>());
  const float got = shuffled_kernel(p, lanes, apart, weights_first, rng);
  const Dot dot = dot_offset(p.weights, p.x, p.y);
  const auto all = static_cast<int64_t>(apart ? 2 * lanes : lanes);
  RC_ASSERT(std::fabs(double{got} - dot.total) <= float_bound(dot, roundings_any_order(dot.blocks.size(), all)));
}

RC_GTEST_PROP(TqDot, BoundHoldsForTheLibrarysOrder, ()) {
  Problem p = random_problem();
  if (p.weights == Weights::tq1_0) RC_DISCARD("the library's order of TQ2_0");
  const Dot dot = dot_explicit(p.weights, p.x, p.y);
  RC_ASSERT(std::fabs(double{avx2_order(p.x, p.y)} - dot.total) <=
            float_bound(dot, roundings_of_lanes(dot.blocks.size(), 8)));
}

TEST(TqDot, BoundIsWhatTheFormulaSays) {
  const Dot dot{{{10, 1000, 0.5F, -4}, {-3, 500, 2, 0.25F}}, -21.5};
  const double mu = 10 * 0x1p-24;
  const double expected = (mu / (1 - mu) + 2 * 0x1p-53) * (2 * 1000 + 0.5 * 500);
  EXPECT_NEAR(float_bound(dot, roundings_of_lanes(2, 8)), expected, expected * 1e-14);
  EXPECT_EQ(roundings_any_order(2, 8), 17);
  EXPECT_LT(float_bound(dot, 10), float_bound(dot, 11));
}

// One block and eight lanes: a kernel that is off by one unit of one product cannot hide.
TEST(TqDot, BoundIsBelowOneUnitForABlock) {
  const Bytes x = row_of(Weights::tq2_0, std::vector<uint8_t>(256, 3), 0x3C00);
  const Dot dot = dot_explicit(Weights::tq2_0, x, activations_of({constant_block(-128, 1)}));
  EXPECT_LT(float_bound(dot, roundings_of_lanes(1, 8)), 0.1);
}

TEST(TqDot, BoundCountsUnderflow) {
  // d_x * d_y = 2^-24 * 2^-126 * 1.5 is no float32: the product rounds to 2 * 2^-149, or is lost altogether
  const Bytes x = row_of(Weights::tq2_0, std::vector<uint8_t>(256, 2), 0x0001);
  const Bytes y = activations_of({constant_block(100, 0x1.8p-126F)});
  const Dot dot = dot_explicit(Weights::tq2_0, x, y);
  const volatile float d = 0x1p-24F * 0x1.8p-126F;
  const double got = double{d} * 25600;
  EXPECT_NE(got, dot.total);
  EXPECT_LE(std::fabs(got - dot.total), float_bound(dot, roundings_of_lanes(1, 8)));
}

TEST(TqDot, NothingIsPromisedBeyondFloat32) {
  const Dot large{{{1, 1 << 17, 1, 1e34F}}, 1e34};
  EXPECT_TRUE(std::isinf(float_bound(large, 9)));
  EXPECT_TRUE(std::isinf(float_bound({{{0, 0, 65504, 1e37F}}, 0}, 9)));
  EXPECT_TRUE(std::isinf(float_bound({{{0, 1, NAN, 1}}, NAN}, 9)));
  EXPECT_TRUE(std::isinf(float_bound({{{0, 1, 1, INFINITY}}, NAN}, 9)));
  EXPECT_THROW((void)float_bound(large, 1), std::invalid_argument);
  EXPECT_THROW((void)float_bound(large, (1 << 23) + 1), std::invalid_argument);
}

TEST(TqDot, RefusesRowsThatDoNotMatch) {
  const Bytes x(2 * tq2_0::kBytes);
  const Bytes y(2 * q8_k::kBytes);
  EXPECT_EQ(dot_explicit(Weights::tq2_0, x, y).blocks.size(), 2U);
  for (auto dot :
       {+[](Weights w, std::span<const uint8_t> a, std::span<const uint8_t> b) { return dot_explicit(w, a, b); },
        +[](Weights w, std::span<const uint8_t> a, std::span<const uint8_t> b) { return dot_offset(w, a, b); }}) {
    EXPECT_THROW((void)dot(Weights::tq2_0, x, std::span(y).first(q8_k::kBytes)), std::invalid_argument);
    EXPECT_THROW((void)dot(Weights::tq2_0, std::span(x).first(65), y), std::invalid_argument);
    EXPECT_THROW((void)dot(Weights::tq1_0, x, y), std::invalid_argument);
    EXPECT_THROW((void)dot(Weights::tq2_0, {}, {}), std::invalid_argument);
    EXPECT_THROW((void)dot(Weights::tq2_0, std::span(x).first(66), std::span(y).first(291)), std::invalid_argument);
  }
}

}  // namespace
}  // namespace tritcheck::tq
