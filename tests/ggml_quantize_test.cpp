// The quantisers of weights by formula, against blocks worked out from the format.
#include "reference/ggml_quantize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reference/half.h"
#include "reference/prng.h"

namespace tritcheck::ggml {
namespace {

std::vector<uint8_t> quantized(Type type, const std::vector<float>& x, Rounding r = Rounding::apart) {
  std::vector<uint8_t> row(x.size() / format(type).elements * format(type).bytes);
  quantize_row(type, r, x, row);
  return row;
}

// Weights -1, 0, 1 in turn, times 0.5: the bytes that a library wrote for them.
std::vector<float> thirds(size_t n) {
  std::vector<float> x;
  for (size_t i = 0; i < n; ++i) x.push_back(0.5F * (static_cast<float>(i % 3) - 1));
  return x;
}

TEST(Quantize, TernaryBytesAsSeenFromALibrary) {
  const std::vector<uint8_t> tq1 = quantized(Type::tq1_0, thirds(256));
  EXPECT_THAT(std::vector(tq1.begin(), tq1.begin() + 4), testing::ElementsAre(0x45, 0x6C, 0xCF, 0x45));
  EXPECT_THAT(std::vector(tq1.begin() + 32, tq1.begin() + 35), testing::ElementsAre(0x94, 0xBB, 0x31));
  EXPECT_THAT(std::vector(tq1.begin() + 48, tq1.end()), testing::ElementsAre(0x30, 0x92, 0xBB, 0x30, 0x00, 0x38));
  const std::vector<uint8_t> tq2 = quantized(Type::tq2_0, thirds(256));
  EXPECT_THAT(std::vector(tq2.begin(), tq2.begin() + 4), testing::ElementsAre(0x18, 0x61, 0x86, 0x18));
  EXPECT_THAT(std::vector(tq2.end() - 3, tq2.end()), testing::ElementsAre(0x18, 0x00, 0x38));
  const std::vector<uint8_t> q1 = quantized(Type::q1_0, thirds(128));
  EXPECT_THAT(std::vector(q1.begin(), q1.begin() + 5), testing::ElementsAre(0x50, 0x35, 0xB6, 0x6D, 0xDB));
  const std::vector<uint8_t> q2 = quantized(Type::q2_0, thirds(64));
  EXPECT_THAT(std::vector(q2.begin(), q2.begin() + 5), testing::ElementsAre(0x00, 0x38, 0x24, 0x49, 0x92));
}

TEST(Quantize, TheSignedExtremeGetsTheCodeThatHasNoCounterpart) {
  for (const auto& [type, offset] : {std::pair(Type::q4_0, 8), std::pair(Type::q5_0, 16)}) {
    std::vector<float> x(32, 0.0F);
    x[3] = 4;
    x[5] = -4;  // as large, but not the first
    x[7] = 2;
    const Fields f = unpack(type, quantized(type, x));
    EXPECT_EQ(f16::to_float(f.d), -4.0F / static_cast<float>(offset));
    EXPECT_EQ(f.codes[0], offset);
    EXPECT_EQ(f.codes[3], 0);
    EXPECT_EQ(f.codes[5], 2 * offset - 1) << "one step beyond the last code";
    EXPECT_EQ(f.codes[7], offset / 2);
  }
}

TEST(Quantize, TheRangeGetsAllCodes) {
  for (const auto& [type, most] : {std::pair(Type::q4_1, 15), std::pair(Type::q5_1, 31)}) {
    std::vector<float> x(32, 1.0F);
    x[1] = 1 + static_cast<float>(most);
    x[2] = 4.5F;  // 3.5 steps: up
    x[4] = 4.25F;
    const Fields f = unpack(type, quantized(type, x));
    EXPECT_EQ(f16::to_float(f.d), 1.0F);
    EXPECT_EQ(f16::to_float(f.c), 1.0F);
    EXPECT_EQ(f.codes[0], 0);
    EXPECT_EQ(f.codes[1], most);
    EXPECT_EQ(f.codes[2], 4);
    EXPECT_EQ(f.codes[4], 3);
  }
}

TEST(Quantize, TiesOfTernaryFormatsGoAwayFromZero) {
  for (const Type type : {Type::tq1_0, Type::tq2_0, Type::q2_0}) {
    std::vector<float> x(256, 0.0F);
    x[0] = 2;
    x[1] = 1;
    x[2] = -1;
    x[3] = 0.99F;
    const std::vector<uint8_t> row = quantized(type, x);
    const Fields f = unpack(type, std::span(row).first(format(type).bytes));
    EXPECT_THAT(std::vector(f.codes.begin(), f.codes.begin() + 5), testing::ElementsAre(2, 2, 0, 1, 1));
  }
}

// No value is further from its own than a step, whatever the rule: a bound for all of them.
TEST(Quantize, ValuesStayWithinAStep) {
  Prng r(7);
  for (const Type type : kTypes) {
    if (!has_formula(type) || type == Type::q1_0) continue;
    for (const Rounding rounding : kRoundings) {
      std::vector<float> x(512);
      for (float& v : x) v = static_cast<float>(std::ldexp(r.unit() - 0.5, static_cast<int>(r.below(4))));
      const std::vector<uint8_t> row = quantized(type, x, rounding);
      const blocks::Format& f = format(type);
      for (size_t b = 0; b < x.size() / f.elements; ++b) {
        const Block block = decode(type, std::span(row).subspan(b * f.bytes, f.bytes));
        for (size_t e = 0; e < f.elements; ++e) {
          const double step = std::fabs(block.d) * (type == Type::q4_0 || type == Type::q5_0 ? 1.01 : 0.51);
          EXPECT_LE(std::fabs(block.value(e) - double{x[b * f.elements + e]}), step + 2e-3) << f.name << " " << e;
        }
      }
    }
  }
}

TEST(Quantize, WhatIsNotDefinedIsRefused) {
  std::vector<float> x(32, 1.0F);
  std::vector<uint8_t> row(18);
  EXPECT_THROW(quantize_row(Type::iq4_nl, Rounding::apart, x, row), std::invalid_argument);
  EXPECT_THROW(quantize_row(Type::q4_0, Rounding::apart, x, std::span(row).first(17)), std::invalid_argument);
  x[5] = NAN;
  EXPECT_THROW(quantize_row(Type::q4_0, Rounding::apart, x, row), std::domain_error);
  std::vector<float> tiny(32, 1e-39F);
  EXPECT_THROW(quantize_row(Type::q4_0, Rounding::apart, tiny, row), std::domain_error);
}

}  // namespace
}  // namespace tritcheck::ggml
