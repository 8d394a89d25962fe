#include <stdexcept>

#include "reference/dot.h"

namespace tritcheck::i2_s {

Dot dot_explicit(Layout layout, Shape shape, std::span<const uint8_t> bytes, int64_t row, std::span<const int8_t> q,
                 Code3 code3) {
  if (auto why = why_illegal(layout, shape)) throw std::invalid_argument("i2_s dot: " + *why);
  Dot dot;
  for (int64_t column = 0; column < shape.k; ++column) {
    const Position p = position(layout, shape.k, row, column);
    const int code = (bytes[static_cast<size_t>(p.byte)] >> p.shift) & 3;
    const int64_t value = q[static_cast<size_t>(column)];
    dot.centred += weight_of(code, code3) * value;
    dot.raw += code * value;
  }
  return dot;
}

}  // namespace tritcheck::i2_s
