// Method 2 of TL2's dot products: the tables, and a walk along the bytes.
#include <stdexcept>

#include "reference/blocks.h"
#include "reference/tl2.h"
#include "reference/tl_lut.h"

namespace tritcheck::tl2 {
namespace {

constexpr auto kHalves = tl::Halves::low_first;

int64_t tables_bytes(int64_t k, int64_t group) {
  return k / group * static_cast<int64_t>(tl::kTableBytes);
}

// The tables of one part, one after the other.
class Tables {
 public:
  Tables(std::span<const uint8_t> bytes, size_t indices, int64_t row, int64_t column, int64_t step)
      : rest_(bytes), indices_(indices), row_(row), column_(column), step_(step) {}

  int next(size_t index) {
    tl::require_index("tl2", index, indices_, row_, column_);
    const int entry = tl::load_entry(rest_, kHalves, index);
    rest_ = rest_.subspan(tl::kTableBytes);
    column_ += step_;
    return entry;
  }

 private:
  std::span<const uint8_t> rest_;
  size_t indices_;
  int64_t row_;
  int64_t column_;
  int64_t step_;
};

// The order in which the four groups of eight rows are stored.
constexpr int64_t kGroups[] = {0, 16, 8, 24};

// A row, and how many weights are stored before its own in a tile of columns: blocks of 32 rows follow each other, then
// the column tiles, then the row tiles. k is the columns of the part, tile_k those of a tile.
struct Row {
  const Shape& shape;
  std::span<const uint8_t> bytes;
  int64_t row = 0;

  int64_t weights_before(int64_t k, int64_t tile_k, int64_t tile) const {
    const int64_t tile_rows = shape.tiles.rows;
    return row / tile_rows * tile_rows * k + tile * tile_rows * tile_k + row % tile_rows / 32 * 32 * tile_k;
  }
  int64_t place() const { return kGroups[row % 32 / 8] + row % 8; }
  std::span<const uint8_t> from(int64_t byte) const { return bytes.subspan(static_cast<size_t>(byte)); }
};

// What a lane of int16 takes for one tile of the three-part. Eight triples are in four bytes of indices, 32 apart, and
// one word of signs: rows 0..15 have its bits 15, 13, .., rows 16..31 the others.
int64_t lane_of_triples(const Row& row, int64_t tile, Tables& tables) {
  const int64_t tile_k = row.shape.tiles.k;
  const int64_t before = row.weights_before(three_k(row.shape), tile_k, tile);
  const auto indices = row.from(before / 6 + row.place());
  const auto signs = row.from(signs_at(row.shape) + before / 24 + 2 * (row.row % 16));
  int64_t lane = 0;
  for (size_t eight = 0; eight < static_cast<size_t>(tile_k / 24); ++eight) {
    unsigned word = blocks::load_u16(signs, eight * 32);
    if (row.row % 32 >= 16) word <<= 1;
    for (size_t i = 0; i < 4; ++i) {
      const uint8_t both = indices[(4 * eight + i) * 32];
      for (int index : {both / 16, both % 16}) {
        const int s = (word & 0x8000U) != 0 ? -1 : 0;
        word <<= 2;
        lane += (tables.next(static_cast<size_t>(index)) + s) ^ s;
      }
    }
  }
  return lane;
}

// The same for a tile of the two-part, 32 columns.
int64_t lane_of_pairs(const Row& row, int64_t tile, Tables& tables) {
  const int64_t before = row.weights_before(two_k(row.shape), 32, tile);
  const auto indices = row.from(two_part_at(row.shape) + before / 4 + row.place());
  int64_t lane = 0;
  for (size_t i = 0; i < 8; ++i) {
    const uint8_t both = indices[i * 32];
    for (int index : {both / 16, both % 16}) lane += tables.next(static_cast<size_t>(index));
  }
  return lane;
}

}  // namespace

void fill_three_lut(std::span<const int8_t> q, std::span<uint8_t> lut) {
  if (q.size() % 3 != 0)
    throw std::invalid_argument("tl2: activations are no multiple of 3; these tables are of triples");
  tl::require_enough("tl2", "bytes for the tables of triples", lut.size(),
                     tables_bytes(static_cast<int64_t>(q.size()), 3));
  for (size_t t = 0; t < q.size() / 3; ++t) {
    const auto table = lut.subspan(t * tl::kTableBytes, tl::kTableBytes);
    for (size_t index : {14U, 15U}) tl::store_entry(table, kHalves, index, 0);
    for (int w0 = -1; w0 <= 1; ++w0) {
      for (int w1 = -1; w1 <= 1; ++w1) {
        for (int w2 = -1; w2 <= 1; ++w2) {
          const int v = 9 * w0 + 3 * w1 + w2;
          if (v < 0) continue;
          tl::store_entry(table, kHalves, static_cast<size_t>(v),
                          w0 * q[3 * t] + w1 * q[3 * t + 1] + w2 * q[3 * t + 2]);
        }
      }
    }
  }
}

void fill_two_lut(std::span<const int8_t> q, std::span<uint8_t> lut) {
  if (q.size() % 2 != 0) throw std::invalid_argument("tl2: an odd number of activations; these tables are of pairs");
  tl::require_enough("tl2", "bytes for the tables of pairs", lut.size(),
                     tables_bytes(static_cast<int64_t>(q.size()), 2));
  for (size_t p = 0; p < q.size() / 2; ++p) {
    tl::store_pair_entries(lut.subspan(p * tl::kTableBytes, tl::kTableBytes), kHalves, q[2 * p], q[2 * p + 1]);
  }
}

LaneDot dot_lut(const Shape& shape, std::span<const uint8_t> bytes, int64_t row, std::span<const uint8_t> three,
                std::span<const uint8_t> two) {
  if (const auto why = why_illegal(shape)) throw std::invalid_argument("tl2: " + *why);
  const int64_t by_three = three_k(shape);
  const int64_t by_two = two_k(shape);
  tl::require_enough("tl2", "bytes of codes", bytes.size(), scale_at(shape));
  tl::require_enough("tl2", "bytes of tables of triples", three.size(), tables_bytes(by_three, 3));
  tl::require_enough("tl2", "bytes of tables of pairs", two.size(), tables_bytes(by_two, 2));
  if (row < 0 || row >= shape.rows) throw std::invalid_argument("tl2: no row " + std::to_string(row));
  const Row of_row{shape, bytes, row};
  LaneDot dot;
  const auto add = [&](int64_t lane) {
    dot.sum += lane;
    dot.int16 += tl::in_int16(lane);
  };
  Tables triples(three, 14, row, 0, 3);
  for (int64_t tile = 0; tile < by_three / shape.tiles.k; ++tile) add(lane_of_triples(of_row, tile, triples));
  Tables pairs(two, 9, row, by_three, 2);
  for (int64_t tile = 0; tile < by_two / 32; ++tile) add(lane_of_pairs(of_row, tile, pairs));
  return dot;
}

}  // namespace tritcheck::tl2
