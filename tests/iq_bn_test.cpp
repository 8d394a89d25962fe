// IQ1_BN, IQ2_BN, IQ2_BN_R4, and their activations: against worked bytes and second readings of the
// formats.
#include "reference/iq_bn.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "reference/gguf_types.h"
#include "reference/q8_k64.h"
#include "reference/q8_k_ik.h"
#include "reference/tq1_0.h"
#include "tests/block_bytes.h"

namespace tritcheck::iq_bn {
namespace {

using q8_k64::Kind;
constexpr Kind kKinds[] = {Kind::k64, Kind::k16};

Bytes packed_rows(Type type, const Rows& rows) {
  Bytes bytes(row_bytes(type, rows.codes.size() / format(type).rows), 0xEE);
  pack(type, rows, bytes);
  return bytes;
}

Rows random_rows(Type type, size_t k, Prng& rng) {
  const Format& f = format(type);
  Rows rows{std::vector<float>(f.rows), Bytes(k * f.rows)};
  for (float& s : rows.scales) s = static_cast<float>(rng.between(-2047, 2047)) * 0x1p-10F;
  for (auto& c : rows.codes) c = static_cast<uint8_t>(rng.below(static_cast<uint64_t>(f.largest_code) + 1));
  return rows;
}

Bytes packed_acts(Kind kind, const q8_k64::Row& row) {
  Bytes bytes(q8_k64::row_bytes(kind, row.q.size()), 0xEE);
  q8_k64::pack(kind, row, bytes);
  return bytes;
}

template <class Function>
std::string refusal(Function function) {
  try {
    function();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "nothing was refused";
}

// The first 64 weights ((7 i + i / 32) mod 3) - 1, which do not repeat alike in both halves, with scale 0.5.
Rows worked() {
  Rows rows{{0.5F}, Bytes(64)};
  for (size_t i = 0; i < 64; ++i) rows.codes[i] = static_cast<uint8_t>((7 * i + i / 32) % 3);
  return rows;
}

TEST(IqBn, WorkedBlocks) {
  const Bytes two{0,    0,    0,    0x3F,  // 0.5
                  0x44, 0x99, 0x22, 0x44, 0x99, 0x22, 0x44, 0x99, 0x22, 0x44, 0x99, 0x22, 0x44, 0x99, 0x22, 0x44};
  EXPECT_EQ(packed_rows(Type::iq2_bn, worked()), two);
  EXPECT_EQ(unpack(Type::iq2_bn, two), worked());
  const Bytes one{0,    0x38,  // 0.5
                  0x6C, 0x45, 0xCF, 0xCF, 0x6C, 0x45, 0x6C, 0x45, 0xCF, 0xCF, 0x6C, 0x45, 0x20};
  EXPECT_EQ(packed_rows(Type::iq1_bn, worked()), one);
  EXPECT_EQ(unpack(Type::iq1_bn, one), worked());
}

// 32 of +1, 0, -1 and +1: tells the order of shifts too.
TEST(IqBn, WorkedBlocksOfRuns) {
  Rows rows{{0.25F}, {}};
  for (int code : {2, 1, 0, 2}) rows.codes.insert(rows.codes.end(), 32, static_cast<uint8_t>(code));
  const Bytes bytes = packed_rows(Type::iq2_bn, rows);
  EXPECT_EQ(Bytes(bytes.begin() + 4, bytes.begin() + 20), Bytes(16, 0x5A));
  EXPECT_EQ(Bytes(bytes.begin() + 20, bytes.end()), Bytes(16, 0xA0));
}

TEST(IqBn, FourRowsByHand) {
  Rows rows{{1, 2, 3, 4}, Bytes(4 * 128, 0)};
  rows.codes[0] = 3;                  // row 0, element 0: block 0, l 0, g 0, i 0
  rows.codes[128 + 5] = 2;            // row 1, element 5: g 1, i 1
  rows.codes[2 * 128 + 47] = 1;       // row 2, element 47: l 2, g 3, i 3
  rows.codes[3 * 128 + 64 + 24] = 2;  // row 3, block 1, element 24: l 1, g 2, i 0
  Bytes expected(16 + 128);
  for (size_t row = 0; row < 4; ++row) blocks::store_u32(expected, 4 * row, std::bit_cast<uint32_t>(rows.scales[row]));
  expected[16 + 0] = 3;
  expected[16 + 4 + 1] = 2 << 2;
  expected[16 + 32 + 8 + 3] = 1 << 6;
  expected[16 + 64 + 16 + 12] = 2 << 4;
  EXPECT_EQ(packed_rows(Type::iq2_bn_r4, rows), expected);
}

TEST(IqBn, SizesAreThoseOfFiles) {
  EXPECT_EQ(row_bytes(Type::iq1_bn, 3200), 652U);
  EXPECT_EQ(row_bytes(Type::iq2_bn, 3200), 804U);
  EXPECT_EQ(row_bytes(Type::iq2_bn_r4, 3200), 3216U);
  const std::map<Type, uint32_t> ids = {{Type::iq1_bn, 134}, {Type::iq2_bn, 135}, {Type::iq2_bn_r4, 335}};
  for (const auto& [type, id] : ids) {
    const gguf::TypeTraits* traits = gguf::type_traits(gguf::Dialect::ik, id);
    ASSERT_NE(traits, nullptr);
    EXPECT_EQ(traits->name, format(type).name);
    EXPECT_EQ(gguf::tensor_bytes(*traits, {640, 4, 1, 1}).bytes, row_bytes(type, 640) * (4 / format(type).rows));
    EXPECT_EQ(k_of(type, row_bytes(type, 640)), 640U);
  }
}

TEST(IqBn, EveryFieldIsOneElement) {
  for (Type type : kTypes) {
    const Format& f = format(type);
    std::set<std::pair<size_t, int>> seen;
    for (size_t row = 0; row < f.rows; ++row) {
      for (size_t e = 0; e < 192; ++e) {
        const Position p = position(type, row, e);
        ASSERT_TRUE(p.byte >= f.header && p.byte < row_bytes(type, 192)) << e;
        ASSERT_TRUE(seen.insert({p.byte, p.field}).second) << e;
      }
    }
    // all fields but, of iq1_bn, the last one of the 13th byte
    for (size_t byte = f.header; byte < row_bytes(type, 192); ++byte) {
      const bool last = (byte - f.header) % 13 == 12;
      const std::set<int> fields = type != Type::iq1_bn ? std::set<int>{0, 2, 4, 6}
                                   : last               ? std::set<int>{0, 1, 2, 3}
                                                        : std::set<int>{0, 1, 2, 3, 4};
      for (int field : fields) EXPECT_TRUE(seen.erase({byte, field}) == 1) << byte << " " << field;
    }
    EXPECT_TRUE(seen.empty());
  }
}

// Second readings: the elements in the order in which the packed fields appear.
TEST(IqBn, EveryByteValueAtEveryPlace) {
  for (Type type : kTypes) {
    const Format& f = format(type);
    for (size_t at = 0; at < f.block; ++at) {
      for (int value = 0; value < 256; ++value) {
        Bytes bytes(f.header + f.block, 0x55);
        bytes[f.header + at] = static_cast<uint8_t>(value);
        Rows expected;
        expected.codes.resize(64 * f.rows);
        for (size_t b = 0; b < f.block; ++b) {
          const int byte = bytes[f.header + b];
          int power = 1;
          for (size_t g = 0; g < 5; ++g, power *= 3) {
            const auto two = static_cast<uint8_t>(byte >> (2 * g) & 3);
            if (type == Type::iq2_bn && g < 4) expected.codes[16 * g + b] = two;
            if (type == Type::iq2_bn_r4 && g < 4) expected.codes[b / 4 % 4 * 64 + b / 16 * 16 + 4 * g + b % 4] = two;
            const auto trit = static_cast<uint8_t>(byte * 243 / 256 / power % 3);
            if (type == Type::iq1_bn && b < 12) expected.codes[b / 3 * 16 + b % 3 * 5 + g] = trit;
            if (type == Type::iq1_bn && b == 12 && g < 4) expected.codes[16 * g + 15] = trit;
          }
        }
        ASSERT_EQ(unpack(type, bytes).codes, expected.codes) << f.name << " " << at << " " << value;
      }
    }
  }
}

TEST(IqBn, TritsAreTq1sBackwards) {
  for (int byte = 0; byte < 256; ++byte) {
    for (int j = 0; j < 5; ++j) {
      EXPECT_EQ(trit(static_cast<uint8_t>(byte), j), tq1_0::trit(static_cast<uint8_t>(byte), 4 - j));
    }
  }
}

RC_GTEST_PROP(IqBn, PackAndUnpackInvert, ()) {
  Prng rng(*rc::gen::arbitrary<uint64_t>());
  const size_t k = 64 * (1 + rng.below(20));
  for (Type type : kTypes) {
    const Rows rows = random_rows(type, k, rng);
    const Bytes bytes = packed_rows(type, rows);
    RC_ASSERT(unpack(type, bytes) == rows);
    for (size_t b = format(type).header; type == Type::iq1_bn && b < bytes.size(); ++b) {
      RC_ASSERT(tq1_0::is_canonical(bytes[b]));
    }
    if (type == Type::iq1_bn) continue;
    const Bytes any = random_bytes(rng, row_bytes(type, k));
    RC_ASSERT(packed_rows(type, unpack(type, any)) == any);
  }
}

TEST(IqBn, RefusalsSayWhatToDo) {
  EXPECT_EQ(refusal([] { (void)row_bytes(Type::iq1_bn, 96); }), "iq1_bn: K = 96 is not a positive multiple of 64");
  EXPECT_EQ(refusal([] { (void)row_bytes(Type::iq2_bn, 0); }), "iq2_bn: K = 0 is not a positive multiple of 64");
  EXPECT_EQ(refusal([] { (void)unpack(Type::iq1_bn, Bytes(16)); }),
            "iq1_bn: 16 bytes are no row; pass 2 of scales and whole blocks of 13");
  EXPECT_EQ(refusal([] { (void)unpack(Type::iq2_bn_r4, Bytes(16)); }),
            "iq2_bn_r4: 16 bytes are no row; pass 16 of scales and whole blocks of 64");
  Bytes bytes(20);
  Rows rows{{0.5F}, Bytes(64, 3)};
  EXPECT_EQ(refusal([&] { pack(Type::iq1_bn, rows, std::span(bytes).first(15)); }),
            "iq1_bn: code 3 at element 0; codes go from 0 to 2");
  EXPECT_NO_THROW(pack(Type::iq2_bn, rows, bytes));
  EXPECT_EQ(refusal([&] { pack(Type::iq2_bn, rows, std::span(bytes).first(19)); }),
            "iq2_bn: 19 bytes for K = 64; pass exactly 20");
  rows.codes[63] = 4;
  EXPECT_EQ(refusal([&] { pack(Type::iq2_bn, rows, bytes); }), "iq2_bn: code 4 at element 63; codes go from 0 to 3");
  EXPECT_EQ(refusal([&] { pack(Type::iq2_bn_r4, rows, bytes); }), "iq2_bn_r4: pass 4 rows, a scale for each");
  EXPECT_EQ(refusal([&] { pack(Type::iq2_bn, {{}, Bytes(64)}, bytes); }), "iq2_bn: pass 1 rows, a scale for each");
  EXPECT_EQ(refusal([&] {
              pack(Type::iq1_bn, {{0.1F}, Bytes(64)}, std::span(bytes).first(15));
            }),
            "iq1_bn: the scale 0.100000 is no fp16 number; round it first");
}

TEST(Q8K64, RecordsByHand) {
  q8_k64::Row row{{1, 2, 3, 4}, {5, 6, 7, 8}, std::vector<int8_t>(512)};
  row.q[0] = -1;
  row.q[511] = 127;
  const Bytes bytes = packed_acts(Kind::k64, row);
  ASSERT_EQ(bytes.size(), 544U);
  EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + 4), (Bytes{0, 0, 0x80, 0x3F}));
  EXPECT_EQ(Bytes(bytes.begin() + 28, bytes.begin() + 34), (Bytes{0, 0, 0, 0x41, 0xFF, 0}));
  EXPECT_EQ(bytes[543], 127);
  EXPECT_EQ(q8_k64::unpack(Kind::k64, bytes), row);
  row.m = {9};
  const Bytes other = packed_acts(Kind::k16, row);
  ASSERT_EQ(other.size(), 532U);
  EXPECT_EQ(Bytes(other.begin() + 16, other.begin() + 21), (Bytes{0, 0, 0x10, 0x41, 0xFF}));
  EXPECT_EQ(q8_k64::unpack(Kind::k16, other), row);
}

TEST(Q8K64, ClassesAndTheirMinus) {
  // element k has value k in class 0, 0 elsewhere, and so on: the sums tell who is in a class
  for (Kind kind : kKinds) {
    for (size_t c = 0; c < 4; ++c) {
      std::vector<int8_t> q(128);
      int sum = 0;
      for (int k = 0; k < 128; ++k) {
        const auto shown = static_cast<size_t>(kind == Kind::k64 ? (k & 12) >> 2 : (k & 48) >> 4);
        EXPECT_EQ(q8_k64::class_of(kind, static_cast<size_t>(k)), shown);
        if (shown != c) continue;
        q[static_cast<size_t>(k)] = static_cast<int8_t>(k - 100);
        sum += k - 100;
      }
      const std::vector<float> m = q8_k64::minus_of(kind, {0.5F, 0.5F, 0.5F, 0.5F}, q);
      ASSERT_EQ(m.size(), kind == Kind::k64 ? 4U : 1U);
      EXPECT_EQ(m[kind == Kind::k64 ? c : 0], 0.5F * static_cast<float>(sum));
    }
  }
  // 3 * 0.1F is no float
  EXPECT_EQ(q8_k64::minus_of(Kind::k64, {0.1F, 0, 0, 0}, std::vector<int8_t>(3, 1))[0], 0.3F);
}

TEST(Q8K64, RefusalsSayWhatToDo) {
  EXPECT_EQ(refusal([] { (void)q8_k64::row_bytes(Kind::k64, 448); }),
            "q8_K64: K = 448 is below 512: the record would not fit the bytes that are set aside for it");
  EXPECT_EQ(q8_k64::row_bytes(Kind::k16, 448), 468U);
  EXPECT_LE(q8_k64::row_bytes(Kind::k64, 512), 512U / 64 * 68);
  EXPECT_EQ(refusal([] { (void)q8_k64::row_bytes(Kind::k16, 32); }), "q8_K16: K = 32 is not a positive multiple of 64");
  EXPECT_EQ(refusal([] { (void)q8_k64::unpack(Kind::k64, Bytes(543)); }),
            "q8_K64: K = 511 is not a positive multiple of 64");
  EXPECT_EQ(refusal([] { (void)q8_k64::unpack(Kind::k64, Bytes(7)); }),
            "q8_K64: K = 0 is not a positive multiple of 64");
  Bytes bytes(544);
  q8_k64::Row row{{}, {1}, std::vector<int8_t>(512)};
  EXPECT_EQ(refusal([&] { q8_k64::pack(Kind::k64, row, bytes); }), "q8_K64: 1 m given; pass exactly 4");
  EXPECT_EQ(refusal([&] { q8_k64::pack(Kind::k16, row, bytes); }), "q8_K16: 544 bytes for K = 512; pass exactly 532");
}

TEST(Q8KIk, FieldsAndSize) {
  Prng rng(3);
  for (int i = 0; i < 20; ++i) {
    const Bytes any = random_bytes(rng, 296);
    ASSERT_EQ(packed(q8_k_ik::unpack(any), 296), any);
  }
  q8_k_ik::Block block{1, 2, {}, {}};
  block.q[0] = -1;
  block.q[255] = 3;
  block.bsums[0] = -2;
  block.bsums[15] = 0x0102;
  const Bytes bytes = packed(block, 296);
  EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + 10), (Bytes{0, 0, 0x80, 0x3F, 0, 0, 0, 0x40, 0xFF, 0}));
  EXPECT_EQ(Bytes(bytes.begin() + 263, bytes.begin() + 267), (Bytes{3, 0xFE, 0xFF, 0}));
  EXPECT_EQ(Bytes(bytes.begin() + 294, bytes.end()), (Bytes{2, 1}));
  EXPECT_EQ(q8_k_ik::unpack(bytes), block);
  EXPECT_EQ(q8_k_ik::row_bytes(512), 592);
  EXPECT_THROW((void)q8_k_ik::row_bytes(128), std::invalid_argument);
  EXPECT_THROW((void)q8_k_ik::unpack(Bytes(292)), std::invalid_argument);
  Bytes mainline(292);
  EXPECT_EQ(refusal([&] { q8_k_ik::pack(block, mainline); }),
            "q8_K of ik_llama.cpp pack: 292 bytes given; pass exactly one block, 256 elements in 296 bytes");
}

}  // namespace
}  // namespace tritcheck::iq_bn
