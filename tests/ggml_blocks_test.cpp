// The blocks of ggml's common formats: two ways to read them, packing, and blocks worked out by hand from the format.
#include "reference/ggml_blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "reference/half.h"
#include "tests/block_bytes.h"

namespace tritcheck::ggml {
namespace {

class EveryType : public testing::TestWithParam<Type> {
 protected:
  // A block of random bytes; nvfp4's scales without their undefined bit, and scales that are numbers.
  std::vector<uint8_t> random_block(Prng& rng) const {
    std::vector<uint8_t> bytes = random_bytes(rng, format(GetParam()).bytes);
    if (GetParam() == Type::nvfp4) {
      for (size_t i = 0; i < 4; ++i) bytes[i] &= 0x7F;
    }
    return bytes;
  }
};

TEST_P(EveryType, TwoReadersAgreeAndPackingIsTheInverse) {
  Prng rng(static_cast<uint64_t>(GetParam()) + 1);
  for (int i = 0; i < 300; ++i) {
    const std::vector<uint8_t> bytes = random_block(rng);
    const Block a = decode(GetParam(), bytes);
    const Block b = decode_in_order(GetParam(), bytes);
    ASSERT_EQ(a.weight, b.weight);
    ASSERT_EQ(a.minimum, b.minimum);
    for (const auto& [one, other] : {std::pair(a.d, b.d), std::pair(a.c, b.c)})
      ASSERT_TRUE(one == other || (std::isnan(one) && std::isnan(other)));
    std::vector<uint8_t> again(bytes.size(), 0xAA);
    pack(GetParam(), unpack(GetParam(), bytes), again);
    ASSERT_EQ(again, bytes);
  }
}

// Every bit of a block belongs to one field, so that nothing can be packed into two places or be lost.
TEST_P(EveryType, EveryBitIsInOneField) {
  const size_t n = format(GetParam()).bytes;
  const std::vector<uint8_t> zero(n, 0);
  const Fields base = unpack(GetParam(), zero);
  std::set<std::vector<uint8_t>> seen;
  for (size_t bit = 0; bit < 8 * n; ++bit) {
    std::vector<uint8_t> bytes = zero;
    bytes[bit / 8] = static_cast<uint8_t>(1 << bit % 8);
    const Fields f = unpack(GetParam(), bytes);
    int changed = (f.d != base.d) + (f.c != base.c);
    for (size_t i = 0; i < f.codes.size(); ++i) changed += f.codes[i] != base.codes[i];
    for (size_t i = 0; i < f.scales.size(); ++i) changed += f.scales[i] != base.scales[i];
    for (size_t i = 0; i < f.minima.size(); ++i) changed += f.minima[i] != base.minima[i];
    EXPECT_EQ(changed, 1) << "bit " << bit;
  }
}

TEST_P(EveryType, WrongSizesAndFieldsAreRefused) {
  std::vector<uint8_t> bytes(format(GetParam()).bytes);
  Fields f = unpack(GetParam(), bytes);
  const std::span<uint8_t> shorter = std::span(bytes).first(bytes.size() - 1);
  EXPECT_THROW(unpack(GetParam(), shorter), std::invalid_argument);
  EXPECT_THROW(decode(GetParam(), shorter), std::invalid_argument);
  EXPECT_THROW(decode_in_order(GetParam(), shorter), std::invalid_argument);
  EXPECT_THROW(pack(GetParam(), f, shorter), std::invalid_argument);
  f.codes[3] = 32;
  EXPECT_THROW(pack(GetParam(), f, bytes), std::invalid_argument);
  f.codes.pop_back();
  EXPECT_THROW(pack(GetParam(), f, bytes), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Types, EveryType, testing::ValuesIn(kTypes),
                         [](const auto& one) { return std::string(format(one.param).name); });

// w[i] = (i mod 3) - 1 with scale 0.5, as a library of ggml packed it.
TEST(GgmlBlocks, BytesOfALibrary) {
  Fields q1;
  q1.d = 0x3550;  // a third: the mean magnitude
  for (int i = 0; i < 128; ++i) q1.codes.push_back(i % 3 - 1 >= 0);
  std::vector<uint8_t> bytes(18);
  pack(Type::q1_0, q1, bytes);
  EXPECT_EQ(std::vector<uint8_t>(bytes.begin(), bytes.begin() + 8),
            (std::vector<uint8_t>{0x50, 0x35, 0xB6, 0x6D, 0xDB, 0xB6, 0x6D, 0xDB}));
  Fields q2;
  q2.d = 0x3800;
  for (int i = 0; i < 64; ++i) q2.codes.push_back(static_cast<uint8_t>(i % 3));
  pack(Type::q2_0, q2, bytes);
  EXPECT_EQ(std::vector<uint8_t>(bytes.begin(), bytes.begin() + 8),
            (std::vector<uint8_t>{0x00, 0x38, 0x24, 0x49, 0x92, 0x24, 0x49, 0x92}));
  EXPECT_EQ(bytes[17], 0x24);
  const Block block = decode(Type::q2_0, bytes);
  for (size_t e = 0; e < 64; ++e) EXPECT_EQ(block.value(e), 0.5 * (static_cast<int>(e % 3) - 1));
}

// One number of each kind, worked out from the format's text.
TEST(GgmlBlocks, ValuesByHand) {
  std::vector<uint8_t> q4_k(144);
  q4_k[1] = 0x3C;                 // d = 1
  q4_k[3] = 0x38;                 // dmin = 0.5
  q4_k[4 + 1] = 0xC0 | 5;         // scale 1 = 5, and the high bits of scale 5
  q4_k[4 + 8 + 1] = 0x90 | 0x03;  // low bits: scale 5 = 3, minimum 5 = 9
  q4_k[4 + 4 + 1] = 0x40 | 7;     // minimum 1 = 7, and the high bits of minimum 5
  q4_k[16 + 2] = 0xB0;            // element 34 (sub-block 1, high half): 11
  q4_k[16 + 64 + 2] = 0xD0;       // element 162 (sub-block 5): 13
  const Block k = decode(Type::q4_k, q4_k);
  EXPECT_EQ(k.value(34), 5 * 11 - 0.5 * 7);
  EXPECT_EQ(k.value(162), (3 + 48) * 13 - 0.5 * (9 + 16));

  std::vector<uint8_t> mx(17);
  mx[0] = 129;   // 2^1 for doubled values
  mx[1] = 0x9F;  // element 0: 15 = -12; element 16: 9 = -1
  EXPECT_EQ(decode(Type::mxfp4, mx).value(0), -24);
  EXPECT_EQ(decode(Type::mxfp4, mx).value(16), -2);
  mx[0] = 0;
  EXPECT_EQ(decode(Type::mxfp4, mx).value(0), -12 * 0x1p-128);

  std::vector<uint8_t> nv(36);
  nv[1] = 0x45;      // exponent 8, mantissa 5: (1 + 5/8) * 2, halved
  nv[4 + 8] = 0x75;  // element 16: 5 = 6; element 24: 7 = 12
  EXPECT_EQ(decode(Type::nvfp4, nv).value(16), 1.625 * 6);
  EXPECT_EQ(decode(Type::nvfp4, nv).value(24), 1.625 * 12);
  nv[1] = 0x7F;
  EXPECT_EQ(decode(Type::nvfp4, nv).value(24), 0);
  nv[1] = 0x80;
  EXPECT_THROW(decode(Type::nvfp4, nv), std::domain_error);
  EXPECT_THROW(decode_in_order(Type::nvfp4, nv), std::domain_error);

  std::vector<uint8_t> q5(24);
  q5[1] = 0x40;   // d = 2
  q5[3] = 0xBC;   // m = -1
  q5[4 + 2] = 8;  // fifth bit of element 19
  q5[8 + 3] = 0x70;
  EXPECT_EQ(decode(Type::q5_1, q5).value(19), 2 * 23 - 1);
  EXPECT_EQ(decode(Type::q5_1, q5).value(3), -1);
}

}  // namespace
}  // namespace tritcheck::ggml
