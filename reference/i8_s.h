// I8_S: one activation row as int8, with its scale and its sum, as bitnet.cpp's kernels expect it.
//
//   I8Row row = i8_s::quantize(i8_s::Era::half_even, x);   // row.q[i] ~ x[i] * row.scale
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tritcheck::i8_s {

/// Two quantisers carry the same name in the wild.
enum class Era : uint8_t {
  half_even,  ///< until 2026-07: amax floored at 1e-5, ties to even. A zero row gives scale 1.27e7 and q = 0.
  half_away,  ///< since then: no floor, ties away from zero. A zero row gives scale 0, so the epilogue is 0 / 0 = NaN.
};

/// q in [-127, 127] for defined input, x[i] ~ q[i] / scale, sum = sum of q.
struct Row {
  std::vector<int8_t> q;
  float scale = 0;
  int32_t sum = 0;
};

/// scale = float(127 / amax) with amax = max |x|, q = x * scale (float32 product) rounded by the era's rule.
/// Undefined (throws std::domain_error): NaN or infinite input, and input so small that 127 / amax overflows float32
/// (half_away only: amax below about 3.7e-37).
Row quantize(Era era, std::span<const float> x);

/// The golden row quantiser: float64 throughout, ties to even, no floor; a zero row gives scale 1 and q = 0.
/// Throws std::domain_error for NaN or infinite input.
struct GoldenRow {
  std::vector<int8_t> q;
  double scale = 1;  ///< 127 / amax
  int32_t sum = 0;
};
GoldenRow quantize_golden(std::span<const double> x);

}  // namespace tritcheck::i8_s
