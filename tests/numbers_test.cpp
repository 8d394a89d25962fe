// The activation quantisers, the scaled epilogue and the random numbers: exact values, bounds, and what is undefined.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "reference/epilogue.h"
#include "reference/i8_s.h"
#include "reference/prng.h"

namespace tritcheck {
namespace {

using i8_s::Era;

TEST(Quantizer, TiesTellTheErasApart) {
  // amax 127 makes the scale 1: halves are exact ties
  const std::vector<float> x = {127, 0.5F, 1.5F, 2.5F, -0.5F, -2.5F, 3.0F};
  EXPECT_EQ(i8_s::quantize(Era::half_even, x).q, (std::vector<int8_t>{127, 0, 2, 2, 0, -2, 3}));
  EXPECT_EQ(i8_s::quantize(Era::half_away, x).q, (std::vector<int8_t>{127, 1, 2, 3, -1, -3, 3}));
  EXPECT_EQ(i8_s::quantize(Era::half_even, x).sum, 132);
  EXPECT_EQ(i8_s::quantize(Era::half_away, x).sum, 132);
}

TEST(Quantizer, AZeroRow) {
  const std::vector<float> zero(64, 0.0F);
  const i8_s::Row old = i8_s::quantize(Era::half_even, zero);
  EXPECT_EQ(old.scale, 1.27e7F);
  EXPECT_EQ(old.sum, 0);
  const i8_s::Row now = i8_s::quantize(Era::half_away, zero);
  EXPECT_EQ(now.scale, 0.0F);
  EXPECT_TRUE(std::isnan(i2_s::scaled(i2_s::Epilogue::float_div_mul, 0, now.sum, now.scale, 0.5F)));
  EXPECT_EQ(i2_s::scaled(i2_s::Epilogue::float_div_mul, 0, old.sum, old.scale, 0.5F), 0.0F);
}

TEST(Quantizer, TheFloorOfTheFirstEra) {
  const std::vector<float> tiny = {1e-6F, -5e-7F};
  EXPECT_EQ(i8_s::quantize(Era::half_even, tiny).q, (std::vector<int8_t>{13, -6}));
  EXPECT_EQ(i8_s::quantize(Era::half_away, tiny).q, (std::vector<int8_t>{127, -64}));
}

TEST(Quantizer, WhatIsUndefinedIsRefused) {
  for (float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                    -std::numeric_limits<float>::infinity()}) {
    const std::vector<float> x = {1.0F, bad};
    EXPECT_THROW(i8_s::quantize(Era::half_even, x), std::domain_error);
    EXPECT_THROW(i8_s::quantize(Era::half_away, x), std::domain_error);
    EXPECT_THROW(i8_s::quantize_golden(std::vector<double>{1.0, double{bad}}), std::domain_error);
  }
  // 127 / 1e-38 is beyond float32
  EXPECT_THROW(i8_s::quantize(Era::half_away, std::vector<float>{1e-38F}), std::domain_error);
  EXPECT_NO_THROW(i8_s::quantize(Era::half_even, std::vector<float>{1e-38F}));
}

RC_GTEST_PROP(Quantizer, StaysInRangeAndSums, ()) {
  Prng rng(*rc::gen::arbitrary<uint64_t>());
  std::vector<float> x(1 + rng.below(300));
  const double magnitude = std::pow(10.0, rng.unit() * 40 - 20);
  for (auto& v : x) v = static_cast<float>((rng.unit() * 2 - 1) * magnitude);
  for (Era era : {Era::half_even, Era::half_away}) {
    const i8_s::Row row = i8_s::quantize(era, x);
    RC_ASSERT(row.sum == std::accumulate(row.q.begin(), row.q.end(), 0));
    for (size_t i = 0; i < x.size(); ++i) {
      RC_ASSERT(row.q[i] >= -127);
      RC_ASSERT(std::fabs(double{x[i]} * double{row.scale} - row.q[i]) <= 0.5 + 1e-5);
    }
  }
  const std::vector<double> wide(x.begin(), x.end());
  const i8_s::GoldenRow golden = i8_s::quantize_golden(wide);
  RC_ASSERT(*std::max_element(golden.q.begin(), golden.q.end(),
                              [](int8_t a, int8_t b) { return std::abs(a) < std::abs(b); }) != 0);
}

TEST(Epilogue, WorkedNumbers) {
  // raw 552704, S = 2176 * 127 = 276352: C = 276352
  EXPECT_EQ(i2_s::scaled_golden(552704, 276352, 127.0F, 0.5F), 1088.0);
  for (auto e : {i2_s::Epilogue::integer_div_mul, i2_s::Epilogue::float_div_mul, i2_s::Epilogue::float_mul_ratio}) {
    EXPECT_NEAR(i2_s::scaled(e, 552704, 276352, 127.0F, 0.5F), 1088.0,
                i2_s::scaled_bound(e, 552704, 276352, 127.0F, 0.5F));
  }
}

TEST(Epilogue, TheIntegerDifferenceSurvivesWhereTheFloatOneDoesNot) {
  // above 2^24 float(R) and float(S) are rounded before they are subtracted: one unit is lost
  const int64_t raw = (int64_t{1} << 25) + 1;
  const int64_t sum = int64_t{1} << 25;
  EXPECT_EQ(i2_s::scaled(i2_s::Epilogue::integer_div_mul, raw, sum, 1, 1), 1.0F);
  EXPECT_EQ(i2_s::scaled(i2_s::Epilogue::float_div_mul, raw, sum, 1, 1), 0.0F);
  EXPECT_GE(i2_s::scaled_bound(i2_s::Epilogue::float_div_mul, raw, sum, 1, 1), 1.0);
  EXPECT_LT(i2_s::scaled_bound(i2_s::Epilogue::integer_div_mul, raw, sum, 1, 1), i2_s::smallest_unit(1, 1));
}

RC_GTEST_PROP(Epilogue, EveryOrderStaysWithinItsBound, ()) {
  Prng rng(*rc::gen::arbitrary<uint64_t>());
  for (int i = 0; i < 200; ++i) {
    const int64_t raw = rng.between(-402653184, 402653184);
    const int64_t sum = rng.between(-134217728, 134217728);
    const auto act = static_cast<float>(std::pow(10.0, rng.unit() * 8 - 4));
    const auto weight = static_cast<float>((rng.unit() * 2 - 1) * std::pow(10.0, rng.unit() * 8 - 4));
    for (auto e : {i2_s::Epilogue::integer_div_mul, i2_s::Epilogue::float_div_mul, i2_s::Epilogue::float_mul_ratio}) {
      const double off =
          std::fabs(double{i2_s::scaled(e, raw, sum, act, weight)} - i2_s::scaled_golden(raw, sum, act, weight));
      RC_ASSERT(off <= i2_s::scaled_bound(e, raw, sum, act, weight));
    }
  }
}

TEST(Prng, TheSameBitsEverywhere) {
  // the published first outputs of SplitMix64 for seed 1234567
  Prng rng(1234567);
  EXPECT_EQ(rng.next(), 6457827717110365317U);
  EXPECT_EQ(rng.next(), 3203168211198807973U);
  EXPECT_EQ(rng.next(), 9817491932198370423U);
  Prng range(1);
  for (int i = 0; i < 10000; ++i) {
    const int64_t v = range.between(-128, 127);
    ASSERT_GE(v, -128);
    ASSERT_LE(v, 127);
  }
  // the multiply-shift against the compiler's 128-bit product
  Prng a(7);
  Prng b(7);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t n = (uint64_t{1} << (i % 63)) + 12345;
    ASSERT_EQ(a.below(n), static_cast<uint64_t>((__extension__ static_cast<unsigned __int128>(b.next()) * n) >> 64));
  }
}

}  // namespace
}  // namespace tritcheck
