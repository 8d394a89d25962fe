#include "reference/tl2.h"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

#include "reference/blocks.h"
#include "reference/tl_lut.h"

namespace tritcheck::tl2 {
namespace {

void require(const Shape& shape, size_t bytes) {
  if (const auto why = why_illegal(shape)) throw std::invalid_argument("tl2: " + *why);
  tl::require_enough("tl2", "bytes of codes", bytes, scale_at(shape));
}

// A triple's three weights, a pair's two.
using Triple = std::array<int, 3>;
using Pair = std::array<int, 2>;

Triple triple_at(const Shape& shape, std::span<const uint8_t> bytes, int64_t row, int64_t triple) {
  const TriplePosition p = triple_position(shape, row, triple);
  const unsigned index = bytes[static_cast<size_t>(p.index.byte)] >> p.index.shift & 15U;
  tl::require_index("tl2", index, 14, row, 3 * triple);
  const bool negative = (bytes[static_cast<size_t>(p.sign_byte)] >> p.sign_bit & 1) != 0;
  const int v = negative ? -static_cast<int>(index) : static_cast<int>(index);
  const int digits = v + 13;  // in base 3, all digits one higher than the weights
  return {digits / 9 - 1, digits / 3 % 3 - 1, digits % 3 - 1};
}

Pair pair_at(const Shape& shape, std::span<const uint8_t> bytes, int64_t row, int64_t pair) {
  const Position p = pair_position(shape, row, pair);
  const unsigned index = bytes[static_cast<size_t>(p.byte)] >> p.shift & 15U;
  tl::require_index("tl2", index, 9, row, three_k(shape) + 2 * pair);
  return {static_cast<int>(index / 3) - 1, static_cast<int>(index % 3) - 1};
}

// Calls visit(column, weight) for every weight of a row.
template <class Visit>
void each(const Shape& shape, std::span<const uint8_t> bytes, int64_t row, Visit visit) {
  size_t column = 0;
  for (int64_t t = 0; t < three_k(shape) / 3; ++t) {
    for (int w : triple_at(shape, bytes, row, t)) visit(column++, w);
  }
  for (int64_t p = 0; p < two_k(shape) / 2; ++p) {
    for (int w : pair_at(shape, bytes, row, p)) visit(column++, w);
  }
}

}  // namespace

void pack(const Shape& shape, std::span<const uint8_t> codes, std::span<uint8_t> bytes) {
  require(shape, bytes.size());
  tl::require_enough("tl2", "codes", codes.size(), shape.rows * shape.k);
  std::fill_n(bytes.begin(), scale_at(shape), uint8_t{0});
  for (int64_t row = 0; row < shape.rows; ++row) {
    const uint8_t* code = codes.data() + row * shape.k;
    for (int64_t column = 0; column < shape.k; ++column) tl::require_trit("tl2", code[column], row, column);
    for (int64_t t = 0; t < three_k(shape) / 3; ++t, code += 3) {
      const TriplePosition p = triple_position(shape, row, t);
      const int v = 9 * code[0] + 3 * code[1] + code[2] - 13;
      bytes[static_cast<size_t>(p.index.byte)] |= static_cast<uint8_t>((v < 0 ? -v : v) << p.index.shift);
      bytes[static_cast<size_t>(p.sign_byte)] |= static_cast<uint8_t>((v < 0 ? 1 : 0) << p.sign_bit);
    }
    for (int64_t pair = 0; pair < two_k(shape) / 2; ++pair, code += 2) {
      const Position p = pair_position(shape, row, pair);
      bytes[static_cast<size_t>(p.byte)] |= static_cast<uint8_t>((3 * code[0] + code[1]) << p.shift);
    }
  }
}

void unpack(const Shape& shape, std::span<const uint8_t> bytes, std::span<uint8_t> codes) {
  require(shape, bytes.size());
  tl::require_enough("tl2", "codes", codes.size(), shape.rows * shape.k);
  for (int64_t row = 0; row < shape.rows; ++row) {
    const auto of_row = codes.subspan(static_cast<size_t>(row * shape.k));
    each(shape, bytes, row, [&](size_t column, int w) { of_row[column] = static_cast<uint8_t>(w + 1); });
  }
}

float load_scale(const Shape& shape, std::span<const uint8_t> tensor) {
  tl::require_enough("tl2", "bytes of a tensor", tensor.size(), scale_at(shape) + 4);
  return std::bit_cast<float>(blocks::load_u32(tensor, static_cast<size_t>(scale_at(shape))));
}

void store_scale(const Shape& shape, std::span<uint8_t> tensor, float scale) {
  tl::require_enough("tl2", "bytes of a tensor", tensor.size(), scale_at(shape) + 4);
  blocks::store_u32(tensor, static_cast<size_t>(scale_at(shape)), std::bit_cast<uint32_t>(scale));
}

int64_t dot_explicit(const Shape& shape, std::span<const uint8_t> bytes, int64_t row, std::span<const int8_t> q) {
  require(shape, bytes.size());
  tl::require_enough("tl2", "activations", q.size(), shape.k);
  if (row < 0 || row >= shape.rows) throw std::invalid_argument("tl2: no row " + std::to_string(row));
  int64_t sum = 0;
  each(shape, bytes, row, [&](size_t column, int w) { sum += w * q[column]; });
  return sum;
}

}  // namespace tritcheck::tl2
