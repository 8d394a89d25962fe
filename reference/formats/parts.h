// What the files of several formats share.
#pragma once

#include <span>

#include "reference/ggml_blocks.h"
#include "reference/half.h"

namespace tritcheck::ggml::formats {

/// Method 1: four bits; elements 0..15 in the low halves of 16 bytes from `at` on, 16..31 in the high ones.
inline Place nibble(size_t at, size_t e) {
  return {{at + e % 16, static_cast<int>(4 * (e / 16)), 4}};
}

/// Method 1: the twelve bytes of eight six-bit scales and minima of q4_K and q5_K begin at byte 4.
inline Place six_bits(size_t i, bool minimum) {
  const size_t own = 4 + (minimum ? 4 : 0);
  if (i < 4) return {{own + i, 0, 6}};
  return {{4 + i + 4, minimum ? 4 : 0, 4}, Bits{own + i - 4, 6, 2}};
}

// Method 2.

inline double half(std::span<const uint8_t> b, size_t at) {
  return f16::to_float(blocks::load_u16(b, at));
}
/// What was taken off every code.
void less(Block& out, int32_t offset);
/// An m that is added to every element.
void plus(Block& out, double m);
/// Sixteen bytes at `at` hold 32 elements from `first` on.
template <class Value>
void nibbles(std::span<const uint8_t> b, size_t at, size_t first, Block& out, Value value) {
  for (size_t j = 0; j < 16; ++j) {
    out.weight[first + j] = value(b[at + j] % 16);
    out.weight[first + j + 16] = value(b[at + j] / 16);
  }
}
/// Thirty-two bits at `at`, one for each element.
void fifth_bits(std::span<const uint8_t> b, size_t at, Block& out);
/// q4_K and q5_K, whose low bits begin at `codes`; the fifth ones, if any, at 16.
void q4_or_q5_k(std::span<const uint8_t> b, size_t codes, bool fifth, Block& out);

// Quantisers, all in float32; scales are stored as fp16 but used unrounded; 1 / d is taken as 0 for d = 0.

/// d = m / -offset, m the element of largest magnitude, with its sign, the first of equals; code = trunc(x * (1 / d) +
/// offset + 0.5), at most 2 * offset - 1.
void quantize_centred(std::span<const float> x, int offset, Rounding rounding, Fields& out);
/// d = (largest - smallest) / most, m = smallest; code = trunc((x - m) * (1 / d) + 0.5), at most `most`.
void quantize_shifted(std::span<const float> x, int most, Rounding rounding, Fields& out);
/// d = max |x|; code = round(x * (1 / d)) + 1, ties away from zero, clamped to 0..most.
void quantize_ternary(std::span<const float> x, int most, Fields& out);

}  // namespace tritcheck::ggml::formats
