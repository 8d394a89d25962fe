// The oracles: exact integer dot products of one packed I2_S row with one int8 activation row, by two methods that
// share no code. They must agree on every input; the harness asks both.
//
//   Dot d = i2_s::dot_explicit(Layout::x86_128, shape, bytes, row, q);   // d.raw, d.centred
#pragma once

#include <cstdint>
#include <span>

#include "reference/i2_s.h"

namespace tritcheck::i2_s {

/// raw = sum(code * q), centred = sum(weight * q). Exact: |raw| <= 3 * 128 * K, so int64 never overflows.
/// Under Code3::arithmetic, centred == raw - sum(q).
struct Dot {
  int64_t raw = 0;
  int64_t centred = 0;
  bool operator==(const Dot&) const = default;
};

/// Method 1: walks the weights of the row by (row, column), decodes each to its value -1, 0, +1 (+2 or 0 for code 3),
/// multiplies and adds. `q` has shape.k entries; `bytes` holds the whole tensor.
Dot dot_explicit(Layout layout, Shape shape, std::span<const uint8_t> bytes, int64_t row, std::span<const int8_t> q,
                 Code3 code3 = Code3::arithmetic);

/// Method 2: walks the packed bytes as they are stored, multiplies the unsigned codes by the activation each of the
/// four fields belongs to, and takes the offset sum(q) (for Code3::zero also twice the q at code 3) off at the end.
Dot dot_offset(Layout layout, Shape shape, std::span<const uint8_t> bytes, int64_t row, std::span<const int8_t> q,
               Code3 code3 = Code3::arithmetic);

}  // namespace tritcheck::i2_s
