// The blocks of ggml's common formats: two ways to read them, packing, and blocks worked out by hand from the format.
#include "reference/ggml_blocks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/half.h"
#include "reference/q6_k.h"
#include "reference/q8_0.h"
#include "reference/tq1_0.h"
#include "reference/tq2_0.h"
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
    ASSERT_EQ(a.offset, b.offset);
    ASSERT_EQ(a.minimum, b.minimum);
    for (const auto& [one, other] : {std::pair(a.d, b.d), std::pair(a.c, b.c)})
      ASSERT_TRUE(one == other || (std::isnan(one) && std::isnan(other)));
    std::vector<uint8_t> again(bytes.size(), 0xAA);
    const Fields fields = unpack(GetParam(), bytes);
    pack(GetParam(), fields, again);
    ASSERT_EQ(unpack(GetParam(), again), fields);
    // some bytes of tq1_0 are read like others, which are written
    if (GetParam() != Type::tq1_0) {
      ASSERT_EQ(again, bytes);
    }
    // scale * offset and scale * code
    const Traits& t = traits(GetParam());
    for (size_t e = 0; t.code_offset != 0 && e < fields.codes.size(); ++e) {
      const int unsigned_code = t.number_of(fields.codes[e]) + t.code_offset;
      ASSERT_EQ(a.offset[e] * unsigned_code, (a.weight[e] + a.offset[e]) * t.code_offset);
    }
  }
}

// Every bit of a block belongs to one field, so that nothing can be packed into two places or be lost.
TEST_P(EveryType, EveryBitIsInOneField) {
  if (GetParam() == Type::tq1_0) return;  // digits, not bits
  const size_t n = format(GetParam()).bytes;
  const std::vector<uint8_t> zero(n, 0);
  const Fields base = unpack(GetParam(), zero);
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

TEST_P(EveryType, EveryCodeIsOneElements) {
  std::vector<uint8_t> bytes(format(GetParam()).bytes);
  Fields fields = unpack(GetParam(), bytes);
  for (auto& scale : fields.scales) scale = 1;
  pack(GetParam(), fields, bytes);
  const Block base = decode_in_order(GetParam(), bytes);
  for (size_t e = 0; e < fields.codes.size(); ++e) {
    fields.codes[e] = 1;
    pack(GetParam(), fields, bytes);
    ASSERT_EQ(unpack(GetParam(), bytes), fields);
    const Block block = decode_in_order(GetParam(), bytes);
    for (size_t i = 0; i < block.weight.size(); ++i)
      ASSERT_EQ(block.weight[i] != base.weight[i], i == e) << i << " " << e;
    fields.codes[e] = 0;
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
  f.codes[3] = static_cast<uint8_t>(traits(GetParam()).code_count - 1);
  pack(GetParam(), f, bytes);
  EXPECT_EQ(unpack(GetParam(), bytes), f);
  if (GetParam() != Type::q8_0) {
    f.codes[3] = static_cast<uint8_t>(traits(GetParam()).code_count);
    EXPECT_THROW(pack(GetParam(), f, bytes), std::invalid_argument);
    f.codes[3] = 0;
  }
  if (!f.scales.empty()) {
    f.scales.pop_back();
    EXPECT_THROW(pack(GetParam(), f, bytes), std::invalid_argument);
    f.scales.push_back(0);
  }
  pack(GetParam(), f, bytes);
  f.codes.pop_back();
  EXPECT_THROW(pack(GetParam(), f, bytes), std::invalid_argument);
}

// What a format says of itself: probes and diagnoses build on it.
TEST_P(EveryType, TraitsHoldTogether) {
  const Traits& t = traits(GetParam());
  EXPECT_NE(t.code == nullptr, t.digit_byte == nullptr);
  EXPECT_EQ(t.d.has_value(), t.d_of == nullptr);
  EXPECT_TRUE(t.c || (!t.c_is_added && t.minima == 0));
  if (t.code != nullptr) {
    EXPECT_EQ(t.code_count, 1 << t.code(0).width());
  }
  EXPECT_EQ(t.scales > 0, t.scale != nullptr);
  // codes in the order of their numbers, of those that kernels must be right for
  const int low = t.number_of(t.extreme_code(false));
  const int high = t.number_of(t.extreme_code(true));
  for (int i = 0; i < t.code_count; ++i) {
    const auto code = static_cast<uint8_t>(i);
    EXPECT_EQ(t.allowed(code) == code, i != t.forbidden);
    if (i == t.forbidden) continue;
    EXPECT_GE(t.number_of(code), low) << i;
    EXPECT_LE(t.number_of(code), high) << i;
  }
  EXPECT_LT(low, high);
}

TEST_P(EveryType, ScaleCodesAreWithinTheirBits) {
  const Traits& t = traits(GetParam());
  if (t.scale == nullptr) return;
  const ScaleCode& s = *t.scale;
  EXPECT_EQ(s.bits, t.scale_place(0).width());
  for (const ScaleCode::Range range : {s.near_one, s.common, s.marks}) {
    EXPECT_LT(range.from, range.to);
    EXPECT_LT(range.to, 1 << s.bits);
    for (int i = range.from; i <= range.to; ++i) EXPECT_NO_THROW(s.number(static_cast<uint8_t>(i)));
  }
  EXPECT_LT(s.number(s.low), s.floating && t.scales == 1 ? 2 : s.number(s.high));
  for (int i = 0; i < 256; ++i) {
    const uint8_t tamed = s.tamed(static_cast<uint8_t>(i));
    if (s.floating) {
      EXPECT_NO_THROW(s.number(tamed)) << i;
    }
  }
  // what `one` stands for
  Fields f;
  f.d = 0x3C00;
  f.codes.assign(t.format.elements, t.extreme_code(true));
  f.scales.assign(t.scales, s.one);
  f.minima.assign(t.minima, 0);
  std::vector<uint8_t> bytes(t.format.bytes);
  pack(GetParam(), f, bytes);
  EXPECT_EQ(decode(GetParam(), bytes).value(0),
            t.number_of(f.codes[0]) * (t.d_of != nullptr && t.scales > 1 ? 0.5 : 1));
  for (const auto values : {s.edges, s.specials}) EXPECT_EQ(values.empty(), !s.floating);
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

// The same weights in 256 elements, as a library packed them: base 3 and two bits.
TEST(GgmlBlocks, TernaryBytesOfALibrary) {
  Fields f;
  f.d = 0x3800;
  for (int i = 0; i < 256; ++i) f.codes.push_back(static_cast<uint8_t>(i % 3));
  Bytes tq1(54);
  pack(Type::tq1_0, f, tq1);
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(tq1[i], (Bytes{0x45, 0x6C, 0xCF}[i % 3])) << i;
  for (size_t i = 32; i < 48; ++i) EXPECT_EQ(tq1[i], (Bytes{0x94, 0xBB, 0x31}[(i - 32) % 3])) << i;
  EXPECT_EQ(Bytes(tq1.begin() + 48, tq1.end()), (Bytes{0x30, 0x92, 0xBB, 0x30, 0x00, 0x38}));
  Bytes tq2(66);
  pack(Type::tq2_0, f, tq2);
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(tq2[i], (Bytes{0x18, 0x61, 0x86}[i % 3])) << i;
  EXPECT_EQ(Bytes(tq2.begin() + 64, tq2.end()), (Bytes{0x00, 0x38}));
  for (const Block& block : {decode(Type::tq1_0, tq1), decode_in_order(Type::tq1_0, tq1), decode(Type::tq2_0, tq2),
                             decode_in_order(Type::tq2_0, tq2)}) {
    for (size_t e = 0; e < 256; ++e) EXPECT_EQ(block.value(e), 0.5 * (static_cast<int>(e % 3) - 1));
  }
}

// The formats that have files of their own, read by these.
TEST(GgmlBlocks, ValuesAsTheirOwnReadersHaveThem) {
  Prng rng(3);
  for (const auto& [type, dequantize] :
       {std::pair(Type::q8_0, &q8_0::dequantize_row), std::pair(Type::q6_k, &q6_k::dequantize_row),
        std::pair(Type::tq1_0, &tq1_0::dequantize_row), std::pair(Type::tq2_0, &tq2_0::dequantize_row)}) {
    for (int i = 0; i < 100; ++i) {
      Bytes bytes = random_bytes(rng, format(type).bytes);
      Fields f = unpack(type, bytes);
      f.d &= 0xBFFF;  // finite
      pack(type, f, bytes);
      std::vector<double> values(format(type).elements);
      dequantize(bytes, values);
      const Block block = decode(type, bytes);
      for (size_t e = 0; e < values.size(); ++e) ASSERT_EQ(block.value(e), values[e]) << format(type).name << " " << e;
    }
  }
}

TEST(GgmlBlocks, CodesAndPlaces) {
  EXPECT_EQ(traits(Type::q1_0).code_count, 2);
  EXPECT_EQ(traits(Type::tq1_0).code_count, 3);
  EXPECT_EQ(traits(Type::tq2_0).code_count, 4);
  EXPECT_EQ(traits(Type::q3_k).code_count, 8);
  EXPECT_EQ(traits(Type::q5_1).code_count, 32);
  EXPECT_EQ(traits(Type::q6_k).code_count, 64);
  EXPECT_EQ(traits(Type::q8_0).code_count, 256);
  EXPECT_EQ(traits(Type::q6_k).code_offset, 32);
  EXPECT_EQ(traits(Type::iq4_nl).code_offset, 0);
  EXPECT_EQ(traits(Type::tq1_0).code, nullptr);
  EXPECT_EQ(traits(Type::tq1_0).scale_place, nullptr);
  EXPECT_EQ(traits(Type::q6_k).minimum_place, nullptr);
  Bytes one(18, 0xFF);
  one[1] = 0;
  EXPECT_EQ(decode(Type::q1_0, one).offset[5], 1);
  EXPECT_EQ(decode(Type::q4_0, one).offset[5], 8);
  EXPECT_EQ(decode(Type::iq4_nl, one).offset[5], 0);
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

  Bytes q6(210);
  q6[64 + 32 + 2] = 0xB0;   // element 128 + 96 + 2 has the high half: 11
  q6[128 + 32 + 2] = 0xC0;  // and the highest pair of bits: 48
  q6[192 + 8 + 6] = 0xFE;   // sub-block 14: -2
  q6[209] = 0x40;           // d = 2
  EXPECT_EQ(decode(Type::q6_k, q6).value(226), 2 * -2 * (59 - 32));
  EXPECT_EQ(decode(Type::q6_k, q6).offset[226], -64);

  Bytes q8(34);
  q8[1] = 0xC0;       // d = -2
  q8[2 + 31] = 0x80;  // -128
  EXPECT_EQ(decode(Type::q8_0, q8).value(31), 256);
}

}  // namespace
}  // namespace tritcheck::ggml
