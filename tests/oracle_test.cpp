// The two oracles: against worked numbers, against each other on every byte value, and on random input.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "reference/dot.h"
#include "reference/prng.h"

namespace tritcheck::i2_s {
namespace {

TEST(Oracle, TheNumbersOfTheInt16Overflow) {
  // 17 blocks of all +1 against all 127: what int16 accumulators over 32 blocks get wrong
  const Shape shape{2176, 1};
  std::vector<uint8_t> codes(2176, 2);
  std::vector<uint8_t> bytes(static_cast<size_t>(code_bytes(shape)));
  pack(Layout::x86_128, shape, codes, bytes);
  const std::vector<int8_t> q(2176, 127);
  EXPECT_EQ(dot_explicit(Layout::x86_128, shape, bytes, 0, q), (Dot{552704, 276352}));
  EXPECT_EQ(dot_offset(Layout::x86_128, shape, bytes, 0, q), (Dot{552704, 276352}));
}

TEST(Oracle, LargestSumFitsInt32) {
  const Shape shape{1 << 20, 1};
  const std::vector<uint8_t> bytes(static_cast<size_t>(code_bytes(shape)), 0xFF);
  const std::vector<int8_t> q(1 << 20, -128);
  const Dot d = dot_offset(Layout::x86_128, shape, bytes, 0, q);
  EXPECT_EQ(d.raw, -402653184);
  EXPECT_EQ(d, dot_explicit(Layout::x86_128, shape, bytes, 0, q));
}

TEST(Oracle, AgreeOnEveryByteValueAtEveryPlace) {
  for (Layout layout : kLayouts) {
    const Shape shape{k_multiple(layout) == 1 ? 8 : k_multiple(layout), row_multiple(layout)};
    const auto n = static_cast<size_t>(code_bytes(shape));
    std::vector<int8_t> q(static_cast<size_t>(shape.k));
    for (size_t i = 0; i < q.size(); ++i) q[i] = static_cast<int8_t>(i * 37 - 128);
    for (size_t at = 0; at < n; ++at) {
      for (int value = 0; value < 256; ++value) {
        std::vector<uint8_t> bytes(n, 0x1B);
        bytes[at] = static_cast<uint8_t>(value);
        for (int64_t row = 0; row < shape.rows; ++row) {
          for (Code3 code3 : {Code3::arithmetic, Code3::zero}) {
            ASSERT_EQ(dot_explicit(layout, shape, bytes, row, q, code3),
                      dot_offset(layout, shape, bytes, row, q, code3))
                << name(layout) << " byte " << at << " = " << value << " row " << row;
          }
        }
      }
    }
  }
}

RC_GTEST_PROP(Oracle, AgreeOnRandomTensors, ()) {
  const Layout layout = *rc::gen::elementOf(std::vector<Layout>(std::begin(kLayouts), std::end(kLayouts)));
  const Shape shape{k_multiple(layout) * *rc::gen::inRange<int64_t>(1, 9),
                    row_multiple(layout) * *rc::gen::inRange<int64_t>(1, 4)};
  const Code3 code3 = *rc::gen::element(Code3::arithmetic, Code3::zero);
  Prng rng(*rc::gen::arbitrary<uint64_t>());
  std::vector<uint8_t> bytes(static_cast<size_t>(code_bytes(shape)));
  for (auto& b : bytes) b = static_cast<uint8_t>(rng.below(256));
  std::vector<int8_t> q(static_cast<size_t>(shape.k));
  for (auto& v : q) v = static_cast<int8_t>(rng.between(-128, 127));
  for (int64_t row = 0; row < shape.rows; ++row) {
    const Dot one = dot_explicit(layout, shape, bytes, row, q, code3);
    RC_ASSERT(one == dot_offset(layout, shape, bytes, row, q, code3));
    if (code3 == Code3::arithmetic) {
      int64_t sum = 0;
      for (int8_t v : q) sum += v;
      RC_ASSERT(one.centred == one.raw - sum);
    }
  }
}

}  // namespace
}  // namespace tritcheck::i2_s
