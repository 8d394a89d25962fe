// The packer against byte vectors worked out by hand from the format, and against itself.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "reference/i2_s.h"
#include "reference/prng.h"

namespace tritcheck::i2_s {
namespace {

std::vector<uint8_t> packed(Layout layout, Shape shape, const std::vector<int>& weights) {
  std::vector<uint8_t> codes;
  for (int w : weights) codes.push_back(static_cast<uint8_t>(w + 1));
  std::vector<uint8_t> bytes(static_cast<size_t>(code_bytes(shape)));
  pack(layout, shape, codes, bytes);
  return bytes;
}

std::vector<uint8_t> cycle(std::vector<uint8_t> pattern, size_t n) {
  std::vector<uint8_t> out;
  for (size_t i = 0; i < n; ++i) out.push_back(pattern[i % pattern.size()]);
  return out;
}

std::vector<uint8_t> joined(std::initializer_list<std::vector<uint8_t>> parts) {
  std::vector<uint8_t> out;
  for (const auto& p : parts) out.insert(out.end(), p.begin(), p.end());
  return out;
}

TEST(Layout, WorkedBlockOfTheFormat) {
  std::vector<int> w;
  for (int i = 0; i < 128; ++i) w.push_back((7 * i + i / 32) % 3 - 1);
  const auto half = cycle({0x11, 0x66, 0x88}, 16);
  EXPECT_EQ(packed(Layout::x86_128, {128, 1}, w), cycle({0x00, 0x55, 0xAA}, 32));
  EXPECT_EQ(packed(Layout::arm_64, {128, 1}, w), joined({half, half}));
  const auto quarter = cycle({0x18, 0x61, 0x86}, 8);
  EXPECT_EQ(packed(Layout::linear, {128, 1}, w), joined({quarter, quarter, quarter, quarter}));
}

TEST(Layout, WorkedBlockThatSeparatesShiftOrder) {
  std::vector<int> w;
  for (int v : {1, 0, -1, 1}) w.insert(w.end(), 32, v);
  EXPECT_EQ(packed(Layout::x86_128, {128, 1}, w), cycle({0x92}, 32));
  EXPECT_EQ(packed(Layout::arm_64, {128, 1}, w), joined({cycle({0xA5}, 16), cycle({0x0A}, 16)}));
  EXPECT_EQ(packed(Layout::linear, {128, 1}, w),
            joined({cycle({0xAA}, 8), cycle({0x55}, 8), cycle({0x00}, 8), cycle({0xAA}, 8)}));
}

TEST(Layout, FourRowsInOneByte) {
  EXPECT_EQ(packed(Layout::rows_1x4, {1, 4}, {1, 0, -1, 1}), cycle({0x92}, 1));
}

TEST(Layout, RefusesWhatWouldStraddle) {
  EXPECT_EQ(why_illegal(Layout::x86_128, {192, 1}), "K = 192 is not a multiple of 128");
  EXPECT_EQ(why_illegal(Layout::arm_64, {96, 1}), "K = 96 is not a multiple of 64");
  EXPECT_EQ(why_illegal(Layout::linear, {6, 2}), "K = 6 is not a multiple of 4");
  EXPECT_EQ(why_illegal(Layout::rows_1x4, {128, 6}), "rows = 6 is not a multiple of 4");
  EXPECT_TRUE(why_illegal(Layout::x86_128, {0, 1}));
  EXPECT_TRUE(why_illegal(Layout::x86_128, {128, 0}));
  EXPECT_TRUE(why_illegal(Layout::x86_128, {int64_t{1} << 40, int64_t{1} << 40}));
  EXPECT_FALSE(why_illegal(Layout::arm_64, {192, 1}));
  std::vector<uint8_t> codes(192);
  std::vector<uint8_t> bytes(48);
  EXPECT_THROW(pack(Layout::x86_128, {192, 1}, codes, bytes), std::invalid_argument);
  EXPECT_THROW(pack(Layout::arm_64, {192, 1}, codes, std::span(bytes).first(47)), std::invalid_argument);
}

TEST(Layout, ScaleSitsBehindTheCodes) {
  const Shape shape{128, 3};
  std::vector<uint8_t> tensor(static_cast<size_t>(tensor_bytes(shape)));
  EXPECT_EQ(tensor.size(), 128u);
  store_scale(shape, tensor, 0.25F);
  EXPECT_EQ(tensor[98], 0x80);
  EXPECT_EQ(tensor[99], 0x3E);
  EXPECT_EQ(load_scale(shape, tensor), 0.25F);
}

TEST(Layout, Code3HasAnExplicitMeaning) {
  EXPECT_EQ(weight_of(0), -1);
  EXPECT_EQ(weight_of(3), 2);
  EXPECT_EQ(weight_of(3, Code3::zero), 0);
}

RC_GTEST_PROP(Layout, UnpackInvertsPack, ()) {
  const Layout layout = *rc::gen::elementOf(std::vector<Layout>(std::begin(kLayouts), std::end(kLayouts)));
  const Shape shape{k_multiple(layout) * *rc::gen::inRange<int64_t>(1, 6),
                    row_multiple(layout) * *rc::gen::inRange<int64_t>(1, 5)};
  Prng rng(*rc::gen::arbitrary<uint64_t>());
  std::vector<uint8_t> codes(static_cast<size_t>(shape.k * shape.rows));
  for (auto& c : codes) c = static_cast<uint8_t>(rng.below(4));
  // K = 1..3 in rows_1x4 is legal only when four rows fill whole bytes, which row_multiple guarantees
  std::vector<uint8_t> bytes(static_cast<size_t>(code_bytes(shape)));
  pack(layout, shape, codes, bytes);
  std::vector<uint8_t> back(codes.size());
  unpack(layout, shape, bytes, back);
  RC_ASSERT(back == codes);
}

}  // namespace
}  // namespace tritcheck::i2_s
