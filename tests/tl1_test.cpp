// TL1: against the formula read in storage order, places worked out by hand, and plain sums.
#include "reference/tl1.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "reference/gguf_types.h"
#include "tests/tl_rows.h"

namespace tritcheck::tl1 {
namespace {

// The tiles of a preset around a small matrix: two tiles of rows, three of columns.
Shape small(const Tiles& tiles) {
  return {3 * tiles.k, 2 * tiles.rows, tiles};
}

std::vector<Shape> small_presets() {
  std::vector<Shape> shapes;
  for (const Preset& p : presets()) shapes.push_back(small(p.shape.tiles));
  return shapes;
}

Bytes lut_of(const Acts& q) {
  Bytes lut(static_cast<size_t>(lut_bytes(static_cast<int64_t>(q.size()))), 0xEE);
  fill_lut(q, lut);
  return lut;
}

TEST(Tl1, PresetsAreLegalAndFitTheirFiles) {
  EXPECT_EQ(presets().size(), 10U);
  const gguf::TypeTraits* type = gguf::type_traits(gguf::Dialect::fork_ab, 38);
  ASSERT_NE(type, nullptr);
  for (const Preset& p : presets()) {
    EXPECT_EQ(why_illegal(p.shape), std::nullopt) << p.model;
    EXPECT_LE(p.shape.tiles.k, kLargestSafeTileK);
    EXPECT_EQ(gguf::tensor_bytes(*type, {p.shape.k, p.shape.rows, 1, 1}).bytes, tensor_bytes(p.shape));
    const Position last = position(p.shape, p.shape.rows - 1, p.shape.k / 2 - 1);
    EXPECT_EQ(last, (Position{code_bytes(p.shape) - 1, 0})) << p.model;
  }
}

// 96 columns in tiles of 32, 128 rows in tiles of 64 and blocks of 32, 8 columns wide: 16 bytes are 16 rows x 4
// columns, 64 bytes a block, 256 bytes its columns in a tile, 512 bytes a tile, 1536 bytes the tiles of the same rows.
TEST(Tl1, PlacesByHand) {
  const Shape shape{96, 128, {64, 32, 32}};
  EXPECT_EQ(position(shape, 0, 0), (Position{0, 4}));
  EXPECT_EQ(position(shape, 0, 1), (Position{0, 0}));
  EXPECT_EQ(position(shape, 15, 0), (Position{15, 4}));
  EXPECT_EQ(position(shape, 0, 2), (Position{16, 4}));
  EXPECT_EQ(position(shape, 0, 3), (Position{16, 0}));
  EXPECT_EQ(position(shape, 16, 0), (Position{32, 4}));
  EXPECT_EQ(position(shape, 0, 4), (Position{64, 4}));
  EXPECT_EQ(position(shape, 32, 0), (Position{256, 4}));
  EXPECT_EQ(position(shape, 0, 16), (Position{512, 4}));
  EXPECT_EQ(position(shape, 64, 0), (Position{1536, 4}));
  EXPECT_EQ(position(shape, 64 + 32 + 16 + 3, 16 + 4 + 2 + 1), (Position{1536 + 512 + 256 + 64 + 32 + 16 + 3, 0}));
  // blocks of 64 rows are 4 columns wide
  const Shape wide{96, 128, {64, 32, 64}};
  EXPECT_EQ(position(wide, 16, 0), (Position{16, 4}));
  EXPECT_EQ(position(wide, 48, 0), (Position{48, 4}));
  EXPECT_EQ(position(wide, 0, 2), (Position{64, 4}));
}

TEST(Tl1, EveryNibbleIsOnePair) {
  for (const Shape& shape : small_presets()) {
    std::set<std::pair<int64_t, int>> seen;
    for (int64_t row = 0; row < shape.rows; ++row) {
      for (int64_t pair = 0; pair < shape.k / 2; ++pair) {
        const Position p = position(shape, row, pair);
        ASSERT_TRUE(p.byte >= 0 && p.byte < code_bytes(shape) && (p.shift == 0 || p.shift == 4));
        ASSERT_TRUE(seen.insert({p.byte, p.shift}).second) << row << " " << pair;
      }
    }
    EXPECT_EQ(static_cast<int64_t>(seen.size()), 2 * code_bytes(shape));
  }
}

// A second packer: writes the bytes one after the other.
Bytes packed_in_order(const Shape& s, const Bytes& codes) {
  const auto [bm_tile, bbk, bm] = s.tiles;
  Bytes bytes;
  const auto index = [&](int64_t row, int64_t column) {
    const auto at = static_cast<size_t>(row * s.k + column);
    return 3 * codes[at] + codes[at + 1];
  };
  for (int64_t tile_row = 0; tile_row < s.rows; tile_row += bm_tile) {
    for (int64_t tile = 0; tile < s.k; tile += bbk) {
      for (int64_t block = tile_row; block < tile_row + bm_tile; block += bm) {
        for (int64_t wide = tile; wide < tile + bbk; wide += 256 / bm) {
          for (int64_t group = block; group < block + bm; group += 16) {
            for (int64_t column = wide; column < wide + 256 / bm; column += 4) {
              for (int64_t row = group; row < group + 16; ++row) {
                bytes.push_back(static_cast<uint8_t>(16 * index(row, column) + index(row, column + 2)));
              }
            }
          }
        }
      }
    }
  }
  return bytes;
}

TEST(Tl1, PacksInStorageOrderAndUnpackInverts) {
  Prng rng(1);
  for (const Shape& shape : small_presets()) {
    const Bytes codes = random_codes(shape, rng);
    Bytes bytes = packed_codes(shape, codes);
    const Bytes tail(bytes.begin() + code_bytes(shape), bytes.end());
    EXPECT_EQ(tail, Bytes(32, 0xEE)) << "pack wrote behind the indices";
    Bytes again(codes.size(), 0xEE);
    unpack(shape, bytes, again);
    EXPECT_EQ(again, codes);
    bytes.resize(static_cast<size_t>(code_bytes(shape)));
    EXPECT_EQ(bytes, packed_in_order(shape, codes));
  }
}

TEST(Tl1, ScaleIsBehindTheIndices) {
  const Shape shape{32, 32, {32, 32, 32}};
  EXPECT_EQ(code_bytes(shape), 256);
  EXPECT_EQ(tensor_bytes(shape), 288);
  Bytes file(288, 0xEE);
  store_scale(shape, file, 0.5F);
  EXPECT_EQ(Bytes(file.begin() + 255, file.begin() + 261), (Bytes{0xEE, 0, 0, 0, 0x3F, 0xEE}));
  EXPECT_EQ(load_scale(shape, file), 0.5F);
  EXPECT_THROW((void)load_scale(shape, std::span(file).first(259)), std::invalid_argument);
  EXPECT_THROW(store_scale(shape, std::span(file).first(259), 1), std::invalid_argument);
}

TEST(Tl1, TablesHoldNineEntriesHighBytesFirst) {
  for (const auto& [b0, b1] :
       {std::pair(3, 10), std::pair(127, 127), std::pair(-128, -128), std::pair(-127, 128 - 1)}) {
    Acts q{1, 2, static_cast<int8_t>(b0), static_cast<int8_t>(b1)};
    const Bytes lut = lut_of(q);
    ASSERT_EQ(lut.size(), 64U);
    const int entries[] = {-b0 - b1, -b0, -b0 + b1, -b1, 0, b1, b0 - b1, b0, b0 + b1};
    for (size_t i = 0; i < 16; ++i) {
      const int expected = i < 9 ? entries[i] & 0xFFFF : 0xEEEE;
      EXPECT_EQ(lut[32 + i], expected >> 8) << i;
      EXPECT_EQ(lut[32 + 16 + i], expected & 0xFF) << i;
    }
  }
  Bytes lut(64);
  EXPECT_THROW(fill_lut(Acts{1, 2, 3}, lut), std::invalid_argument);
  EXPECT_THROW(fill_lut(Acts(6), lut), std::invalid_argument);
}

TEST(Tl1, TwoDotsEqualThePlainSum) {
  Prng rng(2);
  for (const Shape& shape : small_presets()) {
    const Bytes codes = random_codes(shape, rng);
    const Bytes bytes = packed_codes(shape, codes);
    const Acts q = random_acts(shape.k, rng);
    const Bytes lut = lut_of(q);
    for (int64_t row = 0; row < shape.rows; ++row) {
      const int64_t sum = plain_sum(codes, q, row);
      ASSERT_EQ(dot_explicit(shape, bytes, row, q), sum) << row;
      ASSERT_EQ(dot_lut(shape, bytes, row, lut), (LaneDot{sum, sum})) << row;
    }
  }
}

RC_GTEST_PROP(Tl1, AnyTilesAnyRow, ()) {
  Prng rng(*rc::gen::arbitrary<uint64_t>());
  const int64_t bm = rng.below(2) == 0 ? 32 : 64;
  const Tiles tiles{bm * rng.between(1, 3), 256 / bm * rng.between(1, 40), bm};
  const Shape shape{tiles.k * rng.between(1, 4), tiles.rows * rng.between(1, 3), tiles};
  RC_ASSERT(!why_illegal(shape));
  const Bytes codes = random_codes(shape, rng);
  const Bytes bytes = packed_codes(shape, codes);
  Bytes again(codes.size());
  unpack(shape, bytes, again);
  RC_ASSERT(again == codes);
  const Acts q = random_acts(shape.k, rng);
  const int64_t row = rng.between(0, shape.rows - 1);
  RC_ASSERT(dot_explicit(shape, bytes, row, q) == plain_sum(codes, q, row));
  RC_ASSERT(dot_lut(shape, bytes, row, lut_of(q)).sum == plain_sum(codes, q, row));
}

// All weights w with all q alike: the largest sums there are.
LaneDot extreme(int64_t tile_k, int w, int q) {
  const Shape shape{2 * tile_k, 32, {32, tile_k, 32}};
  const Bytes bytes = packed_codes(shape, Bytes(static_cast<size_t>(shape.k * 32), static_cast<uint8_t>(w + 1)));
  const Acts acts(static_cast<size_t>(shape.k), static_cast<int8_t>(q));
  const LaneDot dot = dot_lut(shape, bytes, 31, lut_of(acts));
  EXPECT_EQ(dot.sum, dot_explicit(shape, bytes, 31, acts));
  EXPECT_EQ(dot.sum, shape.k * w * q);
  return dot;
}

TEST(Tl1, LanesOfInt16HoldTilesUpToTheBound) {
  EXPECT_LE(kLargestSafeTileK / 2 * 254, 32767);
  EXPECT_GT((kLargestSafeTileK / 2 + 1) * 254, 32767);
  for (int w : {-1, 1}) {
    for (int q : {-127, 127}) {
      const LaneDot largest = extreme(256, w, q);  // the largest multiple of 8 below the bound
      EXPECT_EQ(largest.int16, largest.sum);
      const LaneDot beyond = extreme(264, w, q);
      EXPECT_EQ(std::abs(beyond.sum), 2 * 264 * 127);
      EXPECT_EQ(std::abs(beyond.sum - beyond.int16), 2 * 65536) << "both tiles wrapped once";
    }
  }
  // -128, which no quantiser gives, is one too much for tiles of 256: 32768
  EXPECT_EQ(extreme(256, -1, -128).int16, -65536);
  EXPECT_EQ(extreme(256, 1, -128).int16, -65536);
}

TEST(Tl1, WhyIllegal) {
  const auto why = [](int64_t k, int64_t rows, Tiles tiles) { return why_illegal({k, rows, tiles}).value_or("legal"); };
  EXPECT_EQ(why(64, 64, {32, 64, 32}), "legal");
  EXPECT_EQ(why(0, 64, {32, 64, 32}), "K = 0 is not positive");
  EXPECT_EQ(why(64, -1, {32, 64, 32}), "M = -1 is not positive");
  EXPECT_EQ(why(64, 64, {32, 64, 16}), "bm = 16 is neither 32 nor 64");
  EXPECT_EQ(why(64, 64, {0, 64, 32}), "BM = 0 is not positive");
  EXPECT_EQ(why(64, 64, {32, 0, 32}), "BBK = 0 is not positive");
  EXPECT_EQ(why(64, 64, {32, 64, 64}), "BM = 32 is not a multiple of bm = 64");
  EXPECT_EQ(why(64, 64, {32, 36, 32}), "BBK = 36 is not a multiple of 256 / bm = 8");
  EXPECT_EQ(why(64, 100, {32, 64, 32}), "M = 100 is not a multiple of BM = 32");
  EXPECT_EQ(why(192, 64, {32, 128, 32}), "K = 192 is not a multiple of BBK = 128");
  EXPECT_EQ(why(int64_t{1} << 40, int64_t{1} << 40, {32, 64, 32}), "K * M does not fit 64 bits");
}

TEST(Tl1, RefusalsSayWhatToDo) {
  const Shape shape{64, 32, {32, 64, 32}};
  Bytes codes(2048, 1);
  Bytes bytes = packed_codes(shape, codes);
  Bytes short_bytes(511);
  const Acts q(64, 1);
  const Bytes lut = lut_of(q);
  EXPECT_EQ(refusal([&] { pack({64, 31, {32, 64, 32}}, codes, bytes); }), "tl1: M = 31 is not a multiple of BM = 32");
  EXPECT_EQ(refusal([&] { pack(shape, codes, short_bytes); }), "tl1: 511 bytes of indices; pass at least 512");
  EXPECT_EQ(refusal([&] { unpack(shape, bytes, std::span(codes).first(2047)); }),
            "tl1: 2047 codes; pass at least 2048");
  EXPECT_EQ(refusal([&] { (void)dot_explicit(shape, bytes, 0, std::span(q).first(63)); }),
            "tl1: 63 activations; pass at least 64");
  EXPECT_EQ(refusal([&] { (void)dot_lut(shape, bytes, 0, std::span(lut).first(1023)); }),
            "tl1: 1023 bytes of tables; pass at least 1024");
  for (int64_t row : {-1, 32}) {
    EXPECT_EQ(refusal([&] { (void)dot_explicit(shape, bytes, row, q); }), "tl1: no row " + std::to_string(row));
    EXPECT_EQ(refusal([&] { (void)dot_lut(shape, bytes, row, lut); }), "tl1: no row " + std::to_string(row));
  }
  EXPECT_THROW((void)dot_lut(shape, short_bytes, 0, lut), std::invalid_argument);
  EXPECT_THROW((void)dot_explicit(shape, short_bytes, 0, q), std::invalid_argument);
  EXPECT_THROW(unpack(shape, short_bytes, codes), std::invalid_argument);
  EXPECT_THROW((void)dot_lut({64, 31, {32, 64, 32}}, bytes, 0, lut), std::invalid_argument);
  codes[64 * 3 + 5] = 3;
  EXPECT_EQ(refusal([&] { pack(shape, codes, bytes); }), "tl1 pack: code 3 at row 3, column 5; codes go from 0 to 2");
}

TEST(Tl1, IndicesThatStandForNothing) {
  const Shape shape{64, 32, {32, 64, 32}};
  Bytes codes(2048, 1);
  const Bytes good = packed_codes(shape, codes);
  const Acts q(64, 1);
  const Bytes lut = lut_of(q);
  const Position p = position(shape, 17, 5);
  for (unsigned index = 0; index < 16; ++index) {
    Bytes bytes = good;
    auto& byte = bytes[static_cast<size_t>(p.byte)];
    byte = static_cast<uint8_t>((byte & (0xF0U >> p.shift)) | index << p.shift);
    const std::string why =
        index < 9 ? "nothing was refused"
                  : "tl1: index " + std::to_string(index) + " at row 17, column 10; only 0 to 8 stand for weights";
    EXPECT_EQ(refusal([&] { unpack(shape, bytes, codes); }), why);
    EXPECT_EQ(refusal([&] { (void)dot_explicit(shape, bytes, 17, q); }), why);
    EXPECT_EQ(refusal([&] { (void)dot_lut(shape, bytes, 17, lut); }), why);
    EXPECT_NO_THROW((void)dot_explicit(shape, bytes, 16, q));
    EXPECT_NO_THROW((void)dot_lut(shape, bytes, 16, lut));
    if (index < 9) continue;
    EXPECT_THROW((void)dot_lut(shape, bytes, 17, lut), std::domain_error);
    EXPECT_THROW((void)dot_explicit(shape, bytes, 17, q), std::domain_error);
    EXPECT_THROW(unpack(shape, bytes, codes), std::domain_error);
  }
}

}  // namespace
}  // namespace tritcheck::tl1
