// The packing of TL2: against the formula read in storage order, places worked out by hand, and a known size.
#include "reference/tl2.h"

#include <gtest/gtest.h>

#include "reference/gguf_types.h"
#include "tests/tl2_rows.h"

namespace tritcheck::tl2 {
namespace {

TEST(Tl2, PresetsAreLegalAndFitTheirFiles) {
  EXPECT_EQ(presets().size(), 10U);
  const gguf::TypeTraits* type = gguf::type_traits(gguf::Dialect::fork_ab, 39);
  ASSERT_NE(type, nullptr);
  for (const Preset& p : presets()) {
    const Shape& s = p.shape;
    EXPECT_EQ(why_illegal(s), std::nullopt) << p.model;
    EXPECT_LE(s.tiles.k, kLargestSafeTileK);
    EXPECT_EQ(gguf::tensor_bytes(*type, {s.k, s.rows, 1, 1}).bytes, tensor_bytes(s)) << p.model;
    EXPECT_LE(code_bytes(s), scale_at(s));
    EXPECT_EQ(three_k(s) + two_k(s), s.k);
    const TriplePosition last = triple_position(s, s.rows - 1, three_k(s) / 3 - 1);
    EXPECT_EQ(last, (TriplePosition{{signs_at(s) - 1, 0}, two_part_at(s) - 2, 0})) << p.model;
    if (two_k(s) == 0) continue;
    EXPECT_EQ(pair_position(s, s.rows - 1, two_k(s) / 2 - 1), (Position{code_bytes(s) - 1, 0})) << p.model;
  }
}

// 3200 x 3200 with tiles of 320 x 96, whose size was worked out from the code of the library.
TEST(Tl2, SizesOfAKnownTensor) {
  const Shape shape{3200, 3200, {320, 96}};
  EXPECT_EQ(three_k(shape), 3168);
  EXPECT_EQ(two_k(shape), 32);
  EXPECT_EQ(signs_at(shape), 1689600);
  EXPECT_EQ(two_part_at(shape), 2112000);
  EXPECT_EQ(code_bytes(shape), 2137600);
  EXPECT_EQ(scale_at(shape), 2167488);
  EXPECT_EQ(tensor_bytes(shape), 2167520);
}

// 320 columns in tiles of 48 (six of them, 32 columns are left), 128 rows in tiles of 64. Indices: 32 bytes are 32 rows
// x 6 columns, 256 bytes their tile, 512 bytes a tile, 3072 bytes the tiles of the same rows, 6144 bytes all. Signs: 32
// bytes are 32 rows x 24 columns, 64 bytes their tile, 128 a tile, 768 those of the same rows, 1536 all. Pairs: 256
// bytes are 32 rows x 32 columns.
TEST(Tl2, PlacesByHand) {
  const Shape shape{320, 128, {64, 48}};
  ASSERT_EQ(why_illegal(shape), std::nullopt);
  ASSERT_EQ(signs_at(shape), 6144);
  ASSERT_EQ(two_part_at(shape), 6144 + 1536);
  const auto index = [&](int64_t row, int64_t triple) { return triple_position(shape, row, triple).index; };
  EXPECT_EQ(index(0, 0), (Position{0, 4}));
  EXPECT_EQ(index(0, 1), (Position{0, 0}));
  EXPECT_EQ(index(7, 0), (Position{7, 4}));
  EXPECT_EQ(index(8, 0), (Position{16, 4}));
  EXPECT_EQ(index(15, 0), (Position{23, 4}));
  EXPECT_EQ(index(16, 0), (Position{8, 4}));
  EXPECT_EQ(index(23, 0), (Position{15, 4}));
  EXPECT_EQ(index(24, 0), (Position{24, 4}));
  EXPECT_EQ(index(0, 2), (Position{32, 4}));
  EXPECT_EQ(index(32, 0), (Position{256, 4}));
  EXPECT_EQ(index(0, 16), (Position{512, 4}));
  EXPECT_EQ(index(64, 0), (Position{3072, 4}));
  EXPECT_EQ(index(64 + 32 + 9, 16 * 3 + 7), (Position{3072 + 3 * 512 + 256 + 3 * 32 + 17, 0}));
  // bit 15 of a little-endian word is bit 7 of its second byte
  const auto sign = [&](int64_t row, int64_t triple) {
    const TriplePosition p = triple_position(shape, row, triple);
    return Position{p.sign_byte - 6144, p.sign_bit};
  };
  EXPECT_EQ(sign(0, 0), (Position{1, 7}));
  EXPECT_EQ(sign(16, 0), (Position{1, 6}));
  EXPECT_EQ(sign(0, 1), (Position{1, 5}));
  EXPECT_EQ(sign(0, 4), (Position{0, 7}));
  EXPECT_EQ(sign(16, 7), (Position{0, 0}));
  EXPECT_EQ(sign(9, 0), (Position{19, 7})) << "signs are in the order of the rows";
  EXPECT_EQ(sign(0, 8), (Position{33, 7}));
  EXPECT_EQ(sign(32, 0), (Position{65, 7}));
  EXPECT_EQ(sign(0, 16), (Position{129, 7}));
  EXPECT_EQ(sign(64, 0), (Position{769, 7}));
  EXPECT_EQ(pair_position(shape, 0, 0), (Position{7680, 4}));
  EXPECT_EQ(pair_position(shape, 0, 1), (Position{7680, 0}));
  EXPECT_EQ(pair_position(shape, 9, 2), (Position{7680 + 32 + 17, 4}));
  EXPECT_EQ(pair_position(shape, 32, 0), (Position{7680 + 256, 4}));
  EXPECT_EQ(pair_position(shape, 64, 15), (Position{7680 + 512 + 7 * 32, 0}));
  // 64 columns are left: two tiles of 32, each of all the rows of a tile
  EXPECT_EQ(pair_position({352, 128, {64, 96}}, 0, 16).byte, two_part_at({352, 128, {64, 96}}) + 512);
}

TEST(Tl2, EveryBitIsUsedOnce) {
  for (const Shape& shape : small_presets()) {
    std::vector<int> uses(static_cast<size_t>(code_bytes(shape)) * 8);
    const auto use = [&](int64_t byte, int bit, int bits) {
      ASSERT_TRUE(byte >= 0 && byte < code_bytes(shape) && bit >= 0 && bit + bits <= 8);
      for (int i = bit; i < bit + bits; ++i) ++uses[static_cast<size_t>(8 * byte + i)];
    };
    for (int64_t row = 0; row < shape.rows; ++row) {
      for (int64_t t = 0; t < three_k(shape) / 3; ++t) {
        const TriplePosition p = triple_position(shape, row, t);
        ASSERT_LT(p.index.byte, signs_at(shape));
        ASSERT_GE(p.sign_byte, signs_at(shape));
        ASSERT_LT(p.sign_byte, two_part_at(shape));
        use(p.index.byte, p.index.shift, 4);
        use(p.sign_byte, p.sign_bit, 1);
      }
      for (int64_t pair = 0; pair < two_k(shape) / 2; ++pair) {
        const Position p = pair_position(shape, row, pair);
        ASSERT_GE(p.byte, two_part_at(shape));
        use(p.byte, p.shift, 4);
      }
    }
    ASSERT_EQ(uses, std::vector<int>(uses.size(), 1));
  }
}

// A second packer: writes the bytes of the three regions one after the other.
class InOrder {
 public:
  InOrder(const Shape& shape, const Bytes& codes) : s_(shape), codes_(codes) {}

  Bytes bytes() {
    const int64_t all = three_k(s_);
    blocks(0, all, s_.tiles.k, [&](int64_t block, int64_t tile) {
      for (int64_t column = tile; column < tile + s_.tiles.k; column += 6) {
        for (int64_t row : kRows) push(16 * std::abs(v(block + row, column)) + std::abs(v(block + row, column + 3)));
      }
    });
    blocks(0, all, s_.tiles.k, [&](int64_t block, int64_t tile) {
      for (int64_t column = tile; column < tile + s_.tiles.k; column += 24) {
        for (int64_t row = block; row < block + 16; ++row) push_signs(row, column);
      }
    });
    blocks(all, s_.k, 32, [&](int64_t block, int64_t tile) {
      for (int64_t column = tile; column < tile + 32; column += 4) {
        for (int64_t row : kRows) push(16 * pair(block + row, column) + pair(block + row, column + 2));
      }
    });
    bytes_.resize(static_cast<size_t>(scale_at(s_)));
    return bytes_;
  }

 private:
  static constexpr int kRows[] = {0, 1, 2,  3,  4,  5,  6,  7,  16, 17, 18, 19, 20, 21, 22, 23,
                                  8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31};

  template <class Visit>
  void blocks(int64_t first, int64_t end, int64_t tile_k, Visit visit) {
    for (int64_t tile_row = 0; tile_row < s_.rows; tile_row += s_.tiles.rows) {
      for (int64_t tile = first; tile < end; tile += tile_k) {
        for (int64_t block = tile_row; block < tile_row + s_.tiles.rows; block += 32) visit(block, tile);
      }
    }
  }

  int w(int64_t row, int64_t column) { return codes_[static_cast<size_t>(row * s_.k + column)] - 1; }
  int v(int64_t row, int64_t column) { return 9 * w(row, column) + 3 * w(row, column + 1) + w(row, column + 2); }
  int pair(int64_t row, int64_t column) { return 3 * w(row, column) + w(row, column + 1) + 4; }
  void push(int byte) { bytes_.push_back(static_cast<uint8_t>(byte)); }

  // eight triples of this row and of the one 16 further, in turn, from the highest bit downwards
  void push_signs(int64_t row, int64_t column) {
    int word = 0;
    for (int t = 0; t < 8; ++t) {
      word = 2 * word + (v(row, column + 3 * t) < 0 ? 1 : 0);
      word = 2 * word + (v(row + 16, column + 3 * t) < 0 ? 1 : 0);
    }
    push(word & 0xFF);
    push(word >> 8);
  }

  Shape s_;
  const Bytes& codes_;
  Bytes bytes_;
};

TEST(Tl2, PacksInStorageOrderAndUnpackInverts) {
  Prng rng(1);
  for (const Shape& shape : small_presets()) {
    const Bytes codes = random_codes(shape, rng);
    Bytes bytes = packed_codes(shape, codes);
    const Bytes tail(bytes.begin() + scale_at(shape), bytes.end());
    EXPECT_EQ(tail, Bytes(32, 0xEE)) << "pack wrote behind the codes";
    Bytes again(codes.size(), 0xEE);
    unpack(shape, bytes, again);
    EXPECT_EQ(again, codes);
    bytes.resize(static_cast<size_t>(scale_at(shape)));
    EXPECT_EQ(bytes, InOrder(shape, codes).bytes());
  }
}

TEST(Tl2, ScaleIsBehindTheRoomForTheCodes) {
  const Shape shape{288, 32, {32, 96}};  // (32 * 32 / 3 * 5) / 8 + 2048 = 213 + 2048 = 2261, and up to 2272
  EXPECT_EQ(scale_at(shape), 2272);
  EXPECT_EQ(tensor_bytes(shape), 2304);
  Bytes file(2304, 0xEE);
  store_scale(shape, file, 0.5F);
  EXPECT_EQ(Bytes(file.begin() + 2271, file.begin() + 2277), (Bytes{0xEE, 0, 0, 0, 0x3F, 0xEE}));
  EXPECT_EQ(load_scale(shape, file), 0.5F);
  EXPECT_THROW((void)load_scale(shape, std::span(file).first(2275)), std::invalid_argument);
  EXPECT_THROW(store_scale(shape, std::span(file).first(2275), 1), std::invalid_argument);
}

TEST(Tl2, WhyIllegal) {
  const auto why = [](int64_t k, int64_t rows, Tiles tiles) { return why_illegal({k, rows, tiles}).value_or("legal"); };
  EXPECT_EQ(why(288, 64, {32, 96}), "legal");
  EXPECT_EQ(why(256, 64, {32, 96}), "legal");
  EXPECT_EQ(why(192, 64, {32, 96}), "K = 192 is below 256: the size of the tensor goes negative");
  EXPECT_EQ(why(-96, 64, {32, 96}), "K = -96 is below 256: the size of the tensor goes negative");
  EXPECT_EQ(why(288, 0, {32, 96}), "M = 0 is not positive");
  EXPECT_EQ(why(288, 64, {-32, 96}), "BM = -32 is not positive");
  EXPECT_EQ(why(288, 64, {32, 0}), "BBK = 0 is not positive");
  EXPECT_EQ(why(288, 64, {16, 96}), "BM = 16 is not a multiple of 32");
  EXPECT_EQ(why(288, 64, {32, 64}), "BBK = 64 is not a multiple of 24");
  EXPECT_EQ(why(288, 80, {32, 96}), "M = 80 is not a multiple of BM = 32");
  EXPECT_EQ(why(304, 64, {32, 96}), "K % BBK = 16 is not a multiple of 32");
  EXPECT_EQ(why(312 + 256, 64, {32, 312}), "legal");
  EXPECT_EQ(why(312 + 288, 64, {32, 312}),
            "K % BBK = 288 columns in pairs take more than the 256 a tensor has room for");
  EXPECT_EQ(why(int64_t{1} << 40, int64_t{1} << 40, {32, 96}), "5 * K * M does not fit 64 bits");
  EXPECT_EQ(why(int64_t{1} << 31, int64_t{1} << 31, {32, 96}), "5 * K * M does not fit 64 bits");
}

}  // namespace
}  // namespace tritcheck::tl2
