#include <stdexcept>

#include "reference/dot.h"

namespace tritcheck::i2_s {
namespace {

// A row as the packed bytes see it: `bytes` bytes from `first`; field f (0 = the two highest bits) of byte b belongs to
// column group * (b / group) * 4 + f * group + b % group.
struct Walk {
  int64_t first;
  int64_t bytes;
  int64_t group;
};

Walk walk_of(Layout layout, Shape shape, int64_t row) {
  const int64_t row_bytes = shape.k / 4;
  const int64_t group = layout == Layout::x86_128 ? 32 : layout == Layout::arm_64 ? 16 : 1;
  return {row * row_bytes, row_bytes, group};
}

}  // namespace

Dot dot_offset(Layout layout, Shape shape, std::span<const uint8_t> bytes, int64_t row, std::span<const int8_t> q,
               Code3 code3) {
  if (auto why = why_illegal(layout, shape)) throw std::invalid_argument("i2_s dot: " + *why);
  int64_t raw = 0;
  int64_t at_code_3 = 0;
  if (layout == Layout::rows_1x4) {
    // Four rows share a byte; this row owns one field of each of K bytes.
    const uint8_t* group = bytes.data() + row / 4 * shape.k;
    const int drop = static_cast<int>(row % 4) * 2;
    for (int64_t b = 0; b < shape.k; ++b) {
      const int code = static_cast<uint8_t>(group[b] << drop) >> 6;
      raw += int64_t{code} * q[static_cast<size_t>(b)];
      if (code == 3) at_code_3 += q[static_cast<size_t>(b)];
    }
  } else {
    const Walk walk = walk_of(layout, shape, row);
    for (int64_t b = 0; b < walk.bytes; ++b) {
      const unsigned byte = bytes[static_cast<size_t>(walk.first + b)];
      const int64_t column = b / walk.group * walk.group * 4 + b % walk.group;
      const unsigned codes[4] = {byte / 64, byte / 16 % 4, byte / 4 % 4, byte % 4};
      for (int64_t f = 0; f < 4; ++f) {
        const int64_t value = q[static_cast<size_t>(column + f * walk.group)];
        raw += codes[f] * value;
        if (codes[f] == 3) at_code_3 += value;
      }
    }
  }
  int64_t offset = 0;
  for (int64_t c = 0; c < shape.k; ++c) offset += q[static_cast<size_t>(c)];
  return {raw, raw - offset - (code3 == Code3::zero ? 2 * at_code_3 : 0)};
}

}  // namespace tritcheck::i2_s
