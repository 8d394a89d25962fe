// Q8_0, Q8_K and Q6_K: against worked bytes, against a second reading of the format, and back again.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "reference/half.h"
#include "reference/q6_k.h"
#include "reference/q8_0.h"
#include "reference/q8_k.h"
#include "tests/block_bytes.h"

namespace tritcheck {
namespace {

std::vector<float> random_floats(Prng& rng, size_t n, double size) {
  std::vector<float> x(n);
  for (auto& v : x) v = static_cast<float>((static_cast<double>(rng.below(2000001)) / 1e6 - 1) * size);
  return x;
}

// The first codes of a block that begins with these numbers.
std::vector<int> q8_0_codes(q8_0::Variant variant, std::vector<float> x) {
  const size_t n = x.size();
  x.resize(q8_0::kBlock);
  Bytes bytes(q8_0::kBytes);
  q8_0::quantize_row(variant, x, bytes);
  const q8_0::Block block = q8_0::unpack(bytes);
  return {block.q.begin(), block.q.begin() + static_cast<std::ptrdiff_t>(n)};
}

TEST(Q80, TiesSeparatePortableFromSimd) {
  const std::vector<float> x = {127, 0.5, 1.5, 2.5, -0.5, -2.5};
  EXPECT_EQ(q8_0_codes(q8_0::Variant::ref, x), (std::vector<int>{127, 1, 2, 3, -1, -3}));
  EXPECT_EQ(q8_0_codes(q8_0::Variant::avx, x), (std::vector<int>{127, 0, 2, 2, 0, -2}));
  EXPECT_EQ(q8_0_codes(q8_0::Variant::neon, x), (std::vector<int>{127, 0, 2, 2, 0, -2}));
}

// 73 * 127 / 146 is 63.5. In float32, 127 / 146 is a little too large and 1 / (146 / 127) a little too small; for 161
// it is the other way round.
TEST(Q80, ReciprocalsSeparateX86FromArm) {
  EXPECT_EQ(q8_0_codes(q8_0::Variant::ref, {146, 73}), (std::vector<int>{127, 63}));
  EXPECT_EQ(q8_0_codes(q8_0::Variant::avx, {146, 73}), (std::vector<int>{127, 64}));
  EXPECT_EQ(q8_0_codes(q8_0::Variant::neon, {146, 73}), (std::vector<int>{127, 63}));
  EXPECT_EQ(q8_0_codes(q8_0::Variant::ref, {-161, 80.5}), (std::vector<int>{-127, 64}));
  EXPECT_EQ(q8_0_codes(q8_0::Variant::avx, {-161, 80.5}), (std::vector<int>{-127, 63}));
  EXPECT_EQ(q8_0_codes(q8_0::Variant::neon, {-161, 80.5}), (std::vector<int>{-127, 64}));
}

TEST(Q80, BytesOfTwoBlocks) {
  std::vector<float> x(64);
  x[0] = -254;
  x[31] = 4;
  x[33] = 1;
  for (q8_0::Variant variant : q8_0::kVariants) {
    Bytes row(68, 0xEE);
    q8_0::quantize_row(variant, x, row);
    Bytes expected(68);
    expected[0] = 0x00;  // d = 2
    expected[1] = 0x40;
    expected[2] = 0x81;  // -127
    expected[33] = 2;
    expected[34] = 0x08;  // d = 1 / 127 = 0x1.02p-7 in fp16
    expected[35] = 0x20;
    expected[37] = 127;
    EXPECT_EQ(row, expected);
    std::vector<double> values(64);
    q8_0::dequantize_row(row, values);
    EXPECT_EQ(values[0], -254);
    EXPECT_EQ(values[31], 4);
    EXPECT_EQ(values[33], 127 * 0x1.02p-7);
  }
}

TEST(Q80, EdgesOfTheScale) {
  std::vector<float> x(q8_0::kBlock);
  Bytes row(q8_0::kBytes, 0xEE);
  for (q8_0::Variant variant : q8_0::kVariants) {
    x[3] = 0;
    q8_0::quantize_row(variant, x, row);
    EXPECT_EQ(row, Bytes(q8_0::kBytes));
    x[3] = std::numeric_limits<float>::max();
    q8_0::quantize_row(variant, x, row);
    EXPECT_EQ(q8_0::unpack(row).d, 0x7C00);
    EXPECT_EQ(q8_0::unpack(row).q[3], 127);
    x[3] = -127 * 0x1p-25F;  // d = 2^-25 is a zero in fp16
    q8_0::quantize_row(variant, x, row);
    EXPECT_EQ(q8_0::unpack(row).d, 0);
    EXPECT_EQ(q8_0::unpack(row).q[3], -127);
    x[3] = 127 * 0x1p-128F;  // its reciprocal is 2^128
    EXPECT_THROW(q8_0::quantize_row(variant, x, row), std::domain_error);
    x[3] = 128 * 0x1p-128F;
    q8_0::quantize_row(variant, x, row);
    EXPECT_EQ(q8_0::unpack(row).q[3], 127);
    for (float bad : {NAN, INFINITY, -INFINITY}) {
      x[3] = bad;
      EXPECT_THROW(q8_0::quantize_row(variant, x, row), std::domain_error);
    }
  }
  x[3] = 0x1p-149F;  // d = 0 in float32
  q8_0::quantize_row(q8_0::Variant::neon, x, row);
  EXPECT_EQ(row, Bytes(q8_0::kBytes));
  EXPECT_THROW(q8_0::quantize_row(q8_0::Variant::avx, x, row), std::domain_error);
}

RC_GTEST_PROP(Q80, QuantisingIsCloseAndNeverWraps, ()) {
  Prng rng(*rc::gen::arbitrary<uint64_t>());
  const double size = std::ldexp(1, *rc::gen::inRange(-6, 16));
  const auto x = random_floats(rng, 3 * q8_0::kBlock, size);
  for (q8_0::Variant variant : q8_0::kVariants) {
    Bytes row(3 * q8_0::kBytes);
    q8_0::quantize_row(variant, x, row);
    for (size_t i = 0; i < x.size(); ++i) {
      const size_t first = i / 32 * 32;
      double amax = 0;
      for (size_t e = first; e < first + 32; ++e) amax = std::max(amax, std::fabs(double{x[e]}));
      const int q = q8_0::unpack(blocks::nth(q8_0::kFormat, row, i / 32)).q[i % 32];
      RC_ASSERT(std::fabs(q - x[i] * 127 / amax) <= 0.5 + 1e-4);
      RC_ASSERT(std::abs(q) <= 127);
    }
  }
}

TEST(Q8K, WorkedRow) {
  std::vector<float> x;
  for (int i = 0; i < 256; ++i) x.push_back(static_cast<float>(i - 128) / 64);
  Bytes bytes(q8_k::kBytes, 0xEE);
  q8_k::quantize_row(x, bytes);
  EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + 4), (Bytes{0x04, 0x02, 0x81, 0x3C}));
  EXPECT_EQ(Bytes(bytes.begin() + 260, bytes.begin() + 262), (Bytes{0x88, 0xF8}));  // -1912
  const q8_k::Block block = q8_k::unpack(bytes);
  EXPECT_EQ(std::vector<int>(block.q.begin(), block.q.begin() + 5), (std::vector<int>{-127, -126, -125, -124, -123}));
  EXPECT_EQ(std::vector<int>(block.q.end() - 4, block.q.end()), (std::vector<int>{123, 124, 125, 126}));
  EXPECT_EQ(block.bsums, (q8_k::Sums{-1912, -1656, -1400, -1144, -904, -648, -392, -136, 120, 376, 632, 888, 1129, 1384,
                                     1640, 1896}));
  EXPECT_EQ(block.bsums, q8_k::sums_of(block.q));
}

TEST(Q8K, LargestBecomesMinus127AndTiesGoToEven) {
  std::vector<float> x(q8_k::kBlock);
  x[10] = 127;  // the first of two equal magnitudes gives the sign
  x[20] = -127;
  x[30] = 0.5F;
  x[31] = 1.5F;
  x[32] = -2.5F;
  Bytes bytes(q8_k::kBytes);
  q8_k::quantize_row(x, bytes);
  q8_k::Block block = q8_k::unpack(bytes);
  EXPECT_EQ(block.d, -1);
  EXPECT_EQ(block.q[10], -127);
  EXPECT_EQ(block.q[20], 127);
  EXPECT_EQ(block.q[30], 0);
  EXPECT_EQ(block.q[31], -2);
  EXPECT_EQ(block.q[32], 2);
  std::swap(x[10], x[20]);
  q8_k::quantize_row(x, bytes);
  block = q8_k::unpack(bytes);
  EXPECT_EQ(block.d, 1);
  EXPECT_EQ(block.q[10], -127);
  std::vector<double> values(q8_k::kBlock);
  q8_k::dequantize_row(bytes, values);
  EXPECT_EQ(values[10], -127);
  EXPECT_EQ(values[31], 2);
}

TEST(Q8K, ZeroBlockIsAllZeros) {
  std::vector<float> x(2 * q8_k::kBlock, -0.0F);
  x[300] = 5;
  Bytes row(2 * q8_k::kBytes, 0xEE);
  q8_k::quantize_row(x, row);
  EXPECT_EQ(Bytes(row.begin(), row.begin() + 292), Bytes(292));
  EXPECT_EQ(q8_k::unpack(std::span(row).last(292)).q[44], -127);
  EXPECT_EQ(q8_k::unpack(std::span(row).last(292)).bsums[2], -127);
}

TEST(Q8K, WhatIsUndefinedIsRefused) {
  std::vector<float> x(q8_k::kBlock);
  Bytes row(q8_k::kBytes);
  for (float bad : {NAN, INFINITY, -INFINITY, 127 * 0x1p-128F, -0x1p-149F}) {
    x[200] = bad;
    EXPECT_THROW(q8_k::quantize_row(x, row), std::domain_error) << bad;
  }
  x[200] = 128 * 0x1p-128F;
  q8_k::quantize_row(x, row);
  EXPECT_EQ(q8_k::unpack(row).q[200], -127);
}

RC_GTEST_PROP(Q8K, QuantisingIsCloseAndSumsFit, ()) {
  Prng rng(*rc::gen::arbitrary<uint64_t>());
  const auto x = random_floats(rng, q8_k::kBlock, std::ldexp(1, *rc::gen::inRange(-100, 100)));
  Bytes row(q8_k::kBytes);
  q8_k::quantize_row(x, row);
  const q8_k::Block block = q8_k::unpack(row);
  float max = 0;
  for (float v : x) max = std::fabs(v) > std::fabs(max) ? v : max;
  for (size_t e = 0; e < x.size(); ++e) {
    RC_ASSERT(std::fabs(block.q[e] + double{x[e]} * 127 / max) <= 0.5 + 1e-4);
    RC_ASSERT(block.q[e] >= -127);
  }
  for (size_t s = 0; s < q8_k::kSums; ++s) {
    int sum = 0;
    for (size_t i = 0; i < 16; ++i) sum += block.q[16 * s + i];
    RC_ASSERT(block.bsums[s] == sum);
  }
}

// Every code, scale and bit of d ends up somewhere, apart from all others.
TEST(Q8, AnyBytesSurvive) {
  Prng rng(1);
  for (int i = 0; i < 200; ++i) {
    const Bytes k = random_bytes(rng, q8_k::kBytes);
    EXPECT_EQ(packed(q8_k::unpack(k), q8_k::kBytes), k);
    const Bytes zero = random_bytes(rng, q8_0::kBytes);
    EXPECT_EQ(packed(q8_0::unpack(zero), q8_0::kBytes), zero);
  }
}

TEST(Q8, EveryFp16ScaleTimesEveryCodeIsExact) {
  q8_0::Block block;
  std::vector<double> values(q8_0::kBlock);
  for (int bits = 0; bits < 0x10000; ++bits) {
    block.d = static_cast<uint16_t>(bits);
    if (!f16::is_finite(block.d)) continue;
    for (size_t e = 0; e < q8_0::kBlock; ++e) block.q[e] = static_cast<int8_t>(bits + static_cast<int>(e) * 8);
    q8_0::dequantize_row(packed(block, q8_0::kBytes), values);
    for (size_t e = 0; e < q8_0::kBlock; ++e) {
      // in units of 2^-24, the step of fp16 denormals, everything is a whole number
      const auto units = static_cast<int64_t>(std::ldexp(double{f16::to_float(block.d)}, 24));
      ASSERT_EQ(std::ldexp(values[e], 24), static_cast<double>(units * block.q[e])) << bits;
    }
  }
}

// A second reading of Q6_K: four elements for each l, from two bytes of low bits and one of high ones.
std::vector<double> q6_k_in_order(const Bytes& bytes) {
  std::vector<double> values(256);
  const double d = f16::to_float(static_cast<uint16_t>(bytes[208] + 256 * bytes[209]));
  for (size_t half = 0; half < 2; ++half) {
    for (size_t l = 0; l < 32; ++l) {
      const int first = bytes[64 * half + l];
      const int second = bytes[64 * half + 32 + l];
      const int high = bytes[128 + 32 * half + l];
      const int codes[4] = {first % 16 + high % 4 * 16, second % 16 + high / 4 % 4 * 16,
                            first / 16 + high / 16 % 4 * 16, second / 16 + high / 64 * 16};
      for (size_t f = 0; f < 4; ++f) {
        const auto scale = static_cast<int8_t>(bytes[192 + 8 * half + 2 * f + l / 16]);
        values[128 * half + 32 * f + l] = d * scale * (codes[f] - 32);
      }
    }
  }
  return values;
}

TEST(Q6K, EveryByteValueAtEveryPlace) {
  Prng rng(6);
  std::vector<double> values(q6_k::kBlock);
  for (size_t at = 0; at < 208; ++at) {
    Bytes bytes = random_bytes(rng, q6_k::kBytes);
    bytes[209] = 0xBC;  // d about -1
    for (int value = 0; value < 256; ++value) {
      bytes[at] = static_cast<uint8_t>(value);
      q6_k::dequantize_row(bytes, values);
      ASSERT_EQ(values, q6_k_in_order(bytes)) << at << " " << value;
      ASSERT_EQ(packed(q6_k::unpack(bytes), q6_k::kBytes), bytes) << at << " " << value;
    }
  }
}

TEST(Q6K, BlockWorkedOutByHand) {
  q6_k::Block block;
  block.codes.fill(32);
  block.codes[1] = 0x1A;    // low bits of byte 1, low nibble; high bits 1 at byte 129, bits 0-1
  block.codes[33] = 0x2B;   // low bits of byte 33, low nibble; high bits 2 at byte 129, bits 2-3
  block.codes[65] = 0x3C;   // byte 1, high nibble; byte 129, bits 4-5
  block.codes[97] = 0x0D;   // byte 33, high nibble; byte 129, bits 6-7
  block.codes[255] = 0x3F;  // byte 127, high nibble; byte 191, bits 6-7
  for (size_t s = 0; s < 16; ++s) block.scales[s] = static_cast<int8_t>(s);
  block.scales[15] = -128;
  block.d = 0x3800;
  Bytes expected(q6_k::kBytes);
  expected[1] = 0xCA;
  expected[33] = 0xDB;
  expected[127] = 0xF0;
  for (size_t b = 128; b < 192; ++b) expected[b] = 0xAA;  // code 32 = high bits 2
  expected[129] = 0x39;
  expected[191] = 0xEA;
  for (size_t s = 0; s < 15; ++s) expected[192 + s] = static_cast<uint8_t>(s);
  expected[207] = 0x80;
  expected[209] = 0x38;
  EXPECT_EQ(packed(block, q6_k::kBytes), expected);
  EXPECT_EQ(q6_k::unpack(expected), block);
  std::vector<double> values(q6_k::kBlock);
  q6_k::dequantize_row(expected, values);
  EXPECT_EQ(values[33], 0.5 * 2 * 11);
  EXPECT_EQ(values[97], 0.5 * 6 * -19);
  EXPECT_EQ(values[255], 0.5 * -128 * 31);
}

TEST(Q8Q6, RefuseWrongSizes) {
  EXPECT_EQ(q8_0::row_bytes(96), 102);
  EXPECT_EQ(q8_k::row_bytes(512), 584);
  EXPECT_EQ(q6_k::row_bytes(512), 420);
  EXPECT_THROW((void)q8_0::row_bytes(48), std::invalid_argument);
  EXPECT_THROW((void)q8_k::row_bytes(128), std::invalid_argument);
  EXPECT_THROW((void)q6_k::row_bytes(0), std::invalid_argument);
  const std::vector<float> x(256);
  std::vector<double> values(256);
  Bytes bytes(296);
  EXPECT_THROW(q8_0::quantize_row(q8_0::Variant::ref, x, std::span(bytes).first(271)), std::invalid_argument);
  EXPECT_THROW(q8_k::quantize_row(x, bytes), std::invalid_argument);
  EXPECT_THROW(q8_0::dequantize_row(std::span(bytes).first(273), values), std::invalid_argument);
  EXPECT_THROW(q8_k::dequantize_row(bytes, values), std::invalid_argument);
  EXPECT_THROW(q6_k::dequantize_row(std::span(bytes).first(209), values), std::invalid_argument);
  EXPECT_THROW((void)q8_k::unpack(bytes), std::invalid_argument);
  EXPECT_THROW(q8_0::pack({}, bytes), std::invalid_argument);
  EXPECT_THROW(q6_k::pack({}, bytes), std::invalid_argument);
  q6_k::Block block;
  block.codes[3] = 64;
  EXPECT_THROW(q6_k::pack(block, std::span(bytes).first(210)), std::invalid_argument);
}

}  // namespace
}  // namespace tritcheck
