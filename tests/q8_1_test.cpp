// Q8_1: its layout, and that it quantises as Q8_0 does, with the sum beside the scale.
#include "reference/q8_1.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "reference/half.h"
#include "tests/block_bytes.h"

namespace tritcheck::q8_1 {
namespace {

TEST(Q81, BytesOfABlock) {
  std::vector<float> x(kBlock);
  x[0] = -254;
  x[1] = 254;
  x[31] = 4;
  for (Variant variant : kVariants) {
    Bytes row(kBytes, 0xEE);
    q8_1::quantize_row(variant, x, row);
    Bytes expected(kBytes);
    expected[1] = 0x40;  // d = 2
    expected[3] = 0x44;  // s = 2 * 2
    expected[4] = 0x81;  // -127
    expected[5] = 127;
    expected[35] = 2;
    EXPECT_EQ(row, expected);
  }
}

TEST(Q81, AnyBytesSurvive) {
  Prng rng(81);
  for (int i = 0; i < 200; ++i) {
    const Bytes bytes = random_bytes(rng, kBytes);
    EXPECT_EQ(packed(unpack(bytes), kBytes), bytes);
  }
}

TEST(Q81, CodesAndScaleAreThoseOfQ80) {
  Prng rng(82);
  std::vector<float> x(8 * kBlock);
  for (auto& v : x) v = static_cast<float>(rng.unit() * 7 - 3);
  for (size_t e = 0; e < kBlock; ++e) x[e] = static_cast<float>(e) - 0.5F;  // ties
  x[kBlock - 1] = 127;
  for (Variant variant : kVariants) {
    Bytes row(static_cast<size_t>(row_bytes(8 * kBlock)));
    Bytes other(static_cast<size_t>(q8_0::row_bytes(8 * kBlock)));
    q8_1::quantize_row(variant, x, row);
    q8_0::quantize_row(variant, x, other);
    for (size_t b = 0; b < 8; ++b) {
      const Block block = unpack(blocks::nth(kFormat, row, b));
      const q8_0::Block of_q8_0 = q8_0::unpack(blocks::nth(q8_0::kFormat, other, b));
      EXPECT_EQ(block.q, of_q8_0.q);
      EXPECT_EQ(block.d, of_q8_0.d);
      // the d that is not rounded, once more
      float amax = 0;
      for (size_t e = 0; e < kBlock; ++e) amax = std::max(amax, std::fabs(x[b * kBlock + e]));
      const auto sum = static_cast<float>(std::accumulate(block.q.begin(), block.q.end(), 0));
      const volatile float d = amax / 127;
      const volatile float s = sum * d;
      EXPECT_EQ(block.s, f16::from_float(s));
    }
  }
}

// One code of 127 and five of 64 are 447. 447 * 3 / 127 is 10.559, and with d rounded to fp16 10.558, on the other side
// of the middle between two fp16 numbers.
TEST(Q81, TheSumIsOfTheUnroundedScale) {
  std::vector<float> x(kBlock);
  x[0] = 3;
  for (size_t e = 1; e < 6; ++e) x[e] = 64 * 3.0F / 127;
  for (Variant variant : kVariants) {
    Bytes row(kBytes);
    q8_1::quantize_row(variant, x, row);
    const Block block = unpack(row);
    EXPECT_EQ(std::accumulate(block.q.begin(), block.q.end(), 0), 447);
    EXPECT_EQ(f16::to_float(block.s), 10.5625F);
    EXPECT_EQ(f16::to_float(f16::from_float(447 * f16::to_float(block.d))), 10.5546875F);
  }
}

TEST(Q81, EdgesOfTheSum) {
  std::vector<float> x(kBlock, 0);
  Bytes row(kBytes, 0xEE);
  for (Variant variant : kVariants) {
    x.assign(kBlock, 0);
    q8_1::quantize_row(variant, x, row);
    EXPECT_EQ(row, Bytes(kBytes));
    x.assign(kBlock, 2048);  // 32 * 2048 = 2^16
    q8_1::quantize_row(variant, x, row);
    EXPECT_EQ(unpack(row).s, 0x7C00);
    EXPECT_TRUE(f16::is_finite(unpack(row).d));
    x[7] = NAN;
    EXPECT_THROW(q8_1::quantize_row(variant, x, row), std::domain_error);
    x.assign(kBlock, 127 * 0x1p-128F);
    EXPECT_THROW(q8_1::quantize_row(variant, x, row), std::domain_error);
  }
}

TEST(Q81, RefusesWrongSizes) {
  EXPECT_EQ(row_bytes(96), 108);
  EXPECT_THROW((void)row_bytes(48), std::invalid_argument);
  Bytes bytes(37);
  EXPECT_THROW((void)unpack(bytes), std::invalid_argument);
  EXPECT_THROW(pack({}, bytes), std::invalid_argument);
  EXPECT_THROW(q8_1::quantize_row(Variant::ref, std::vector<float>(32), bytes), std::invalid_argument);
}

}  // namespace
}  // namespace tritcheck::q8_1
