#include <algorithm>
#include <vector>

#include "reference/dot.h"

namespace tritcheck::i2_s {

Dot dot_explicit(Layout layout, Shape shape, std::span<const uint8_t> bytes, int64_t row, std::span<const int8_t> q,
                 Code3 code3) {
  std::vector<uint8_t> codes(static_cast<size_t>(std::max<int64_t>(shape.k, 0)));
  unpack_row(layout, shape, bytes, row, codes);
  int64_t weights[4];
  for (int code = 0; code < 4; ++code) weights[code] = weight_of(code, code3);
  Dot dot;
  for (size_t column = 0; column < codes.size(); ++column) {
    dot.centred += weights[codes[column]] * q[column];
    dot.raw += int64_t{codes[column]} * q[column];
  }
  return dot;
}

}  // namespace tritcheck::i2_s
