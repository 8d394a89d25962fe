// Method 2 of TL1's dot products: the tables, and a walk along the bytes.
#include <stdexcept>

#include "reference/tl1.h"
#include "reference/tl_lut.h"

namespace tritcheck::tl1 {

int64_t lut_bytes(int64_t k) {
  return k / 2 * static_cast<int64_t>(tl::kTableBytes);
}

void fill_lut(std::span<const int8_t> q, std::span<uint8_t> lut) {
  if (q.size() % 2 != 0) throw std::invalid_argument("tl1: an odd number of activations; tables are of pairs");
  tl::require_enough("tl1", "bytes for the tables", lut.size(), lut_bytes(static_cast<int64_t>(q.size())));
  for (size_t pair = 0; pair < q.size() / 2; ++pair) {
    const auto table = lut.subspan(pair * tl::kTableBytes, tl::kTableBytes);
    tl::store_pair_entries(table, tl::Halves::high_first, q[2 * pair], q[2 * pair + 1]);
  }
}

LaneDot dot_lut(const Shape& shape, std::span<const uint8_t> bytes, int64_t row, std::span<const uint8_t> lut) {
  if (const auto why = why_illegal(shape)) throw std::invalid_argument("tl1: " + *why);
  tl::require_enough("tl1", "bytes of indices", bytes.size(), code_bytes(shape));
  tl::require_enough("tl1", "bytes of tables", lut.size(), lut_bytes(shape.k));
  if (row < 0 || row >= shape.rows) throw std::invalid_argument("tl1: no row " + std::to_string(row));
  const Tiles& t = shape.tiles;
  // a block of bm rows and 256 / bm columns has 64 bytes: for each 16 rows, 16 bytes for every four columns
  const int64_t quads = 64 / t.block_rows;  // of columns in a block
  const int64_t tile_bytes = t.rows * t.k / 4;
  int64_t first = row / t.rows * (shape.k / t.k) * tile_bytes;
  first += row % t.rows / t.block_rows * (t.block_rows * t.k / 4);
  first += row % t.block_rows / 16 * (16 * quads) + row % 16;

  LaneDot dot;
  int64_t pair = 0;
  const auto look_up = [&](size_t index) {
    tl::require_index("tl1", index, 9, row, 2 * pair);
    const auto table = lut.subspan(static_cast<size_t>(pair) * tl::kTableBytes, tl::kTableBytes);
    ++pair;
    return tl::load_entry(table, tl::Halves::high_first, index);
  };
  for (int64_t tile = 0; tile < shape.k / t.k; ++tile) {
    int64_t lane = 0;
    for (int64_t quad = 0; quad < t.k / 4; ++quad) {
      const int64_t at = first + tile * tile_bytes + quad / quads * 64 + quad % quads * 16;
      const uint8_t both = bytes[static_cast<size_t>(at)];
      lane += look_up(both / 16);
      lane += look_up(both % 16);
    }
    dot.sum += lane;
    dot.int16 += tl::in_int16(lane);
  }
  return dot;
}

}  // namespace tritcheck::tl1
