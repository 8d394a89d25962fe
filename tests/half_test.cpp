// The 16-bit floats: every value, every boundary between two values, and what lies beyond.
#include "reference/half.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace tritcheck {
namespace {

// What the format says a magnitude stands for, by the definition instead of by moving bits.
double number_of_half(int bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  return exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
}

double number_of_bf16(int bits) {
  const int exponent = bits >> 7 & 255;
  const int fraction = bits & 127;
  return exponent == 0 ? std::ldexp(fraction, -133) : std::ldexp(128 + fraction, exponent - 134);
}

struct Kind {
  const char* name;
  float (*to_float)(uint16_t);
  uint16_t (*from_float)(float);
  double (*number)(int);
  int infinity;   // its bits; NaNs are above
  int quiet_bit;  // of a NaN
};
const Kind kKinds[] = {{"f16", f16::to_float, f16::from_float, number_of_half, 0x7C00, 0x200},
                       {"bf16", bf16::to_float, bf16::from_float, number_of_bf16, 0x7F80, 0x40}};

TEST(Half, EveryValueIsItsNumber) {
  for (const Kind& kind : kKinds) {
    for (int bits = 0; bits < 0x10000; ++bits) {
      const int magnitude = bits & 0x7FFF;
      const float x = kind.to_float(static_cast<uint16_t>(bits));
      ASSERT_EQ(std::signbit(x), bits >= 0x8000) << kind.name << " " << bits;
      if (magnitude > kind.infinity) {
        ASSERT_TRUE(std::isnan(x)) << kind.name << " " << bits;
      } else if (magnitude == kind.infinity) {
        ASSERT_TRUE(std::isinf(x)) << kind.name << " " << bits;
      } else {
        ASSERT_EQ(std::fabs(double{x}), kind.number(magnitude)) << kind.name << " " << bits;
      }
    }
  }
}

TEST(Half, EveryValueComesBack) {
  for (const Kind& kind : kKinds) {
    for (int bits = 0; bits < 0x10000; ++bits) {
      // a signalling NaN becomes the quiet one of the same payload; nothing else changes
      const int expected = (bits & 0x7FFF) > kind.infinity ? bits | kind.quiet_bit : bits;
      ASSERT_EQ(kind.from_float(kind.to_float(static_cast<uint16_t>(bits))), expected) << kind.name << " " << bits;
    }
  }
}

// Between two neighbours the result changes at one point, halfway; the last of these points leads to infinity.
TEST(Half, EveryBoundaryTiesToEven) {
  for (const Kind& kind : kKinds) {
    for (int below = 0; below < kind.infinity; ++below) {
      const auto middle = static_cast<float>((kind.number(below) + kind.number(below + 1)) / 2);
      const int even = below % 2 == 0 ? below : below + 1;
      for (float sign : {1.0F, -1.0F}) {
        const int bit = sign < 0 ? 0x8000 : 0;
        const float infinity = std::numeric_limits<float>::infinity();
        ASSERT_EQ(kind.from_float(sign * middle), bit | even) << kind.name << " " << below;
        ASSERT_EQ(kind.from_float(sign * std::nextafter(middle, 0.0F)), bit | below) << kind.name << " " << below;
        ASSERT_EQ(kind.from_float(sign * std::nextafter(middle, infinity)), bit | (below + 1))
            << kind.name << " " << below;
      }
    }
  }
}

RC_GTEST_PROP(Half, KeepsTheOrderOfNumbers, (uint32_t first, uint32_t second)) {
  const uint32_t low = std::min(first, second) % 0x7F800001;
  const uint32_t high = std::max(low, std::max(first, second) % 0x7F800001);
  for (const Kind& kind : kKinds) {
    RC_ASSERT(kind.from_float(std::bit_cast<float>(low)) <= kind.from_float(std::bit_cast<float>(high)));
  }
}

TEST(Half, EdgesWorkedOut) {
  EXPECT_EQ(f16::to_float(0x3800), 0.5F);
  EXPECT_EQ(f16::to_float(0x7BFF), 65504.0F);
  EXPECT_EQ(f16::from_float(65519.996F), 0x7BFF);
  EXPECT_EQ(f16::from_float(65520.0F), 0x7C00);
  EXPECT_EQ(f16::from_float(-std::numeric_limits<float>::max()), 0xFC00);
  EXPECT_EQ(f16::from_float(0x1p-24F), 0x0001);
  EXPECT_EQ(f16::from_float(0x1p-25F), 0x0000);
  EXPECT_EQ(f16::from_float(-0x1.000002p-25F), 0x8001);
  EXPECT_EQ(f16::from_float(0x1.ffep-15F), 0x0400);  // the largest denormal and a half of its step: a carry
  EXPECT_EQ(f16::from_float(-0x1p-149F), 0x8000);
  EXPECT_EQ(bf16::from_float(1.00390625F), 0x3F80);  // 1 + 2^-8: a tie
  EXPECT_EQ(bf16::from_float(std::numeric_limits<float>::max()), 0x7F80);
  EXPECT_EQ(bf16::from_float(0x1p-133F), 0x0001);
}

TEST(Half, NoNanBecomesInfinity) {
  for (const Kind& kind : kKinds) {
    for (uint32_t sign : {0U, 0x80000000U}) {
      for (int bit = 0; bit < 23; ++bit) {
        const uint16_t bits = kind.from_float(std::bit_cast<float>(sign | 0x7F800000U | 1U << bit));
        EXPECT_GT(bits & 0x7FFF, kind.infinity) << kind.name << " " << bit;
        EXPECT_EQ(bits >> 15, sign >> 31) << kind.name << " " << bit;
      }
    }
  }
}

TEST(Half, FiniteIsWhatCanBeAScale) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    ASSERT_EQ(f16::is_finite(static_cast<uint16_t>(bits)), std::isfinite(f16::to_float(static_cast<uint16_t>(bits))));
  }
}

}  // namespace
}  // namespace tritcheck
