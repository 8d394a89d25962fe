// Small matrices and look-up tables for the tests of TL2.
#pragma once

#include <span>

#include "reference/tl2.h"
#include "tests/tl_rows.h"

namespace tritcheck::tl2 {

/// The tiles of every preset around a small matrix, with each rest of columns there can be below 96: two tiles of rows,
/// three of columns.
inline std::vector<Shape> small_presets() {
  std::vector<Shape> shapes;
  for (const Preset& p : presets()) {
    for (int64_t rest : {0, 32, 64}) {
      shapes.push_back({3 * p.shape.tiles.k + rest, 2 * p.shape.tiles.rows, p.shape.tiles});
    }
  }
  return shapes;
}

/// The tables of a row of activations.
struct Luts {
  Bytes three;
  Bytes two;
};

inline Luts luts_of(const Shape& shape, const Acts& q) {
  const auto by_three = static_cast<size_t>(three_k(shape));
  Luts luts{Bytes(by_three / 3 * 32, 0xEE), Bytes((q.size() - by_three) / 2 * 32, 0xEE)};
  fill_three_lut(std::span(q).first(by_three), luts.three);
  fill_two_lut(std::span(q).subspan(by_three), luts.two);
  return luts;
}

inline LaneDot by_lut(const Shape& shape, const Bytes& bytes, int64_t row, const Acts& q) {
  const Luts luts = luts_of(shape, q);
  return dot_lut(shape, bytes, row, luts.three, luts.two);
}

}  // namespace tritcheck::tl2
