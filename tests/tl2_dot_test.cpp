// The look-up tables and dots of TL2: against the list of entries, and two methods against plain sums.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tests/tl2_rows.h"

namespace tritcheck::tl2 {
namespace {

TEST(Tl2Dot, TablesOfTriplesLowBytesFirst) {
  for (const Acts& b : {Acts{1, 10, 100}, Acts{127, 127, 127}, Acts{-128, -128, -128}, Acts{-127, 100, -3}}) {
    Acts q{5, 6, 7};
    q.insert(q.end(), b.begin(), b.end());
    Bytes lut(64, 0xEE);
    fill_three_lut(q, lut);
    const int entries[] = {0,           b[2],
                           b[1] - b[2], b[1],
                           b[1] + b[2], b[0] - b[1] - b[2],
                           b[0] - b[1], b[0] - b[1] + b[2],
                           b[0] - b[2], b[0],
                           b[0] + b[2], b[0] + b[1] - b[2],
                           b[0] + b[1], b[0] + b[1] + b[2],
                           0,           0};
    for (size_t i = 0; i < 16; ++i) {
      EXPECT_EQ(lut[32 + i], entries[i] & 0xFF) << i;
      EXPECT_EQ(lut[32 + 16 + i], (entries[i] & 0xFFFF) >> 8) << i;
    }
  }
  Bytes lut(64);
  EXPECT_THROW(fill_three_lut(Acts(4), lut), std::invalid_argument);
  EXPECT_THROW(fill_three_lut(Acts(9), lut), std::invalid_argument);
}

TEST(Tl2Dot, TablesOfPairsLowBytesFirst) {
  for (const auto& [b0, b1] : {std::pair(3, 10), std::pair(127, 127), std::pair(-128, -128), std::pair(-127, 127)}) {
    Bytes lut(64, 0xEE);
    fill_two_lut(Acts{1, 2, static_cast<int8_t>(b0), static_cast<int8_t>(b1)}, lut);
    const int entries[] = {-b0 - b1, -b0, -b0 + b1, -b1, 0, b1, b0 - b1, b0, b0 + b1};
    for (size_t i = 0; i < 16; ++i) {
      const int expected = i < 9 ? entries[i] & 0xFFFF : 0xEEEE;
      EXPECT_EQ(lut[32 + i], expected & 0xFF) << i;
      EXPECT_EQ(lut[32 + 16 + i], expected >> 8) << i;
    }
  }
  Bytes lut(64);
  EXPECT_THROW(fill_two_lut(Acts(3), lut), std::invalid_argument);
  EXPECT_THROW(fill_two_lut(Acts(6), lut), std::invalid_argument);
}

TEST(Tl2Dot, TwoDotsEqualThePlainSum) {
  Prng rng(2);
  for (const Shape& shape : small_presets()) {
    const Bytes codes = random_codes(shape, rng);
    const Bytes bytes = packed_codes(shape, codes);
    const Acts q = random_acts(shape.k, rng);
    const Luts luts = luts_of(shape, q);
    for (int64_t row = 0; row < shape.rows; ++row) {
      const int64_t sum = plain_sum(codes, q, row);
      ASSERT_EQ(dot_explicit(shape, bytes, row, q), sum) << row;
      ASSERT_EQ(dot_lut(shape, bytes, row, luts.three, luts.two), (LaneDot{sum, sum})) << row;
    }
  }
}

RC_GTEST_PROP(Tl2Dot, AnyTilesAnyRow, ()) {
  Prng rng(*rc::gen::arbitrary<uint64_t>());
  const Tiles tiles{32 * rng.between(1, 4), 24 * rng.between(1, 10)};
  const int64_t rest = 32 * rng.between(0, (tiles.k - 1) / 32);
  const Shape shape{(256 + tiles.k - 1) / tiles.k * tiles.k + rest, tiles.rows * rng.between(1, 3), tiles};
  RC_ASSERT(!why_illegal(shape));
  const Bytes codes = random_codes(shape, rng);
  const Bytes bytes = packed_codes(shape, codes);
  Bytes again(codes.size());
  unpack(shape, bytes, again);
  RC_ASSERT(again == codes);
  const Acts q = random_acts(shape.k, rng);
  const int64_t row = rng.between(0, shape.rows - 1);
  RC_ASSERT(dot_explicit(shape, bytes, row, q) == plain_sum(codes, q, row));
  RC_ASSERT(by_lut(shape, bytes, row, q).sum == plain_sum(codes, q, row));
}

// All weights w with all q alike: the largest sums there are. Two tiles by three, and what is left by two.
LaneDot extreme(int64_t tile_k, int64_t rest, int w, int q) {
  const Shape shape{2 * tile_k + rest, 32, {32, tile_k}};
  const Bytes bytes = packed_codes(shape, Bytes(static_cast<size_t>(shape.k * 32), static_cast<uint8_t>(w + 1)));
  const Acts acts(static_cast<size_t>(shape.k), static_cast<int8_t>(q));
  const LaneDot dot = by_lut(shape, bytes, 31, acts);
  EXPECT_EQ(dot.sum, dot_explicit(shape, bytes, 31, acts));
  EXPECT_EQ(dot.sum, shape.k * w * q);
  return dot;
}

TEST(Tl2Dot, LanesOfInt16HoldTilesUpToTheBound) {
  EXPECT_LE(kLargestSafeTileK / 3 * 381, 32767);
  EXPECT_GT((kLargestSafeTileK / 3 + 1) * 381, 32767);
  for (int w : {-1, 1}) {
    for (int q : {-127, 127}) {
      const LaneDot largest = extreme(240, 224, w, q);  // the largest multiple of 24 below the bound
      EXPECT_EQ(largest.int16, largest.sum);
      const LaneDot beyond = extreme(264, 256, w, q);
      EXPECT_EQ(std::abs(beyond.sum - beyond.int16), 2 * 65536) << "both tiles wrapped once, and no pairs";
    }
  }
}

TEST(Tl2Dot, RefusalsSayWhatToDo) {
  const Shape shape{288 + 32, 32, {32, 96}};
  Bytes codes(320 * 32, 1);
  Bytes bytes = packed_codes(shape, codes);
  Bytes short_bytes(static_cast<size_t>(scale_at(shape) - 1));
  const std::string too_short = "tl2: " + std::to_string(scale_at(shape) - 1) + " bytes of codes; pass at least " +
                                std::to_string(scale_at(shape));
  const Acts q(320, 1);
  const Luts luts = luts_of(shape, q);
  const Shape odd{320, 31, {32, 96}};
  EXPECT_EQ(refusal([&] { pack(odd, codes, bytes); }), "tl2: M = 31 is not a multiple of BM = 32");
  EXPECT_EQ(refusal([&] { (void)dot_lut(odd, bytes, 0, luts.three, luts.two); }),
            "tl2: M = 31 is not a multiple of BM = 32");
  EXPECT_EQ(refusal([&] { pack(shape, codes, short_bytes); }), too_short);
  EXPECT_EQ(refusal([&] { unpack(shape, short_bytes, codes); }), too_short);
  EXPECT_EQ(refusal([&] { (void)dot_explicit(shape, short_bytes, 0, q); }), too_short);
  EXPECT_EQ(refusal([&] { (void)dot_lut(shape, short_bytes, 0, luts.three, luts.two); }), too_short);
  EXPECT_EQ(refusal([&] { unpack(shape, bytes, std::span(codes).first(9)); }), "tl2: 9 codes; pass at least 10240");
  EXPECT_EQ(refusal([&] { (void)dot_explicit(shape, bytes, 0, std::span(q).first(319)); }),
            "tl2: 319 activations; pass at least 320");
  EXPECT_EQ(refusal([&] { (void)dot_lut(shape, bytes, 0, std::span(luts.three).first(3071), luts.two); }),
            "tl2: 3071 bytes of tables of triples; pass at least 3072");
  EXPECT_EQ(refusal([&] { (void)dot_lut(shape, bytes, 0, luts.three, std::span(luts.two).first(511)); }),
            "tl2: 511 bytes of tables of pairs; pass at least 512");
  for (int64_t row : {-1, 32}) {
    EXPECT_EQ(refusal([&] { (void)dot_explicit(shape, bytes, row, q); }), "tl2: no row " + std::to_string(row));
    EXPECT_EQ(refusal([&] { (void)dot_lut(shape, bytes, row, luts.three, luts.two); }),
              "tl2: no row " + std::to_string(row));
  }
  codes[320 * 3 + 5] = 3;
  EXPECT_EQ(refusal([&] { pack(shape, codes, bytes); }), "tl2 pack: code 3 at row 3, column 5; codes go from 0 to 2");
}

// Puts each index at one place and has all readers say the same of it.
TEST(Tl2Dot, IndicesThatStandForNothing) {
  const Shape shape{288 + 32, 32, {32, 96}};
  Bytes codes(320 * 32, 1);
  const Bytes good = packed_codes(shape, codes);
  Prng rng(3);
  const Acts q = random_acts(320, rng);
  const Luts luts = luts_of(shape, q);
  const auto expect = [&](Position p, unsigned index, unsigned count, const std::string& column) {
    Bytes bytes = good;
    auto& byte = bytes[static_cast<size_t>(p.byte)];
    byte = static_cast<uint8_t>((byte & (0xF0U >> p.shift)) | index << p.shift);
    const std::string why = "tl2: index " + std::to_string(index) + " at row 17, column " + column + "; only 0 to " +
                            std::to_string(count - 1) + " stand for weights";
    const std::string answer = index < count ? "nothing was refused" : why;
    EXPECT_EQ(refusal([&] { unpack(shape, bytes, codes); }), answer);
    EXPECT_EQ(refusal([&] { (void)dot_explicit(shape, bytes, 17, q); }), answer);
    EXPECT_EQ(refusal([&] { (void)dot_lut(shape, bytes, 17, luts.three, luts.two); }), answer);
    EXPECT_NO_THROW((void)dot_lut(shape, bytes, 16, luts.three, luts.two));
    if (index < count) return;
    EXPECT_THROW((void)dot_lut(shape, bytes, 17, luts.three, luts.two), std::domain_error);
    EXPECT_THROW((void)dot_explicit(shape, bytes, 17, q), std::domain_error);
    EXPECT_THROW(unpack(shape, bytes, codes), std::domain_error);
  };
  for (unsigned index = 0; index < 16; ++index) {
    expect(triple_position(shape, 17, 5).index, index, 14, "15");
    expect(pair_position(shape, 17, 5), index, 9, "298");
  }
}

// The sign of three zeros, which no packer writes, changes nothing.
TEST(Tl2Dot, MinusZero) {
  const Shape shape{288, 32, {32, 96}};
  const Bytes codes(288 * 32, 1);
  Bytes bytes = packed_codes(shape, codes);
  const TriplePosition p = triple_position(shape, 4, 7);
  bytes[static_cast<size_t>(p.sign_byte)] |= static_cast<uint8_t>(1 << p.sign_bit);
  Bytes again(codes.size());
  unpack(shape, bytes, again);
  EXPECT_EQ(again, codes);
  const Acts q(288, 100);
  EXPECT_EQ(dot_explicit(shape, bytes, 4, q), 0);
  EXPECT_EQ(by_lut(shape, bytes, 4, q), LaneDot{});
}

}  // namespace
}  // namespace tritcheck::tl2
