// Float32 sums in one fixed order: element j goes to lane j % 32, and the lanes are added as a tree (16, 8 ... 1
// apart). Products are rounded before they are added, never fused. So the instruction set, the batch, the threads and
// the split of a prompt do not change a bit.
#pragma once

#include <cstdint>

namespace tritcheck::engine {

inline constexpr int kLanes = 32;  ///< enough independent sums to hide the latency of an addition

/// One implementation of the sums and of the row quantiser; all give the same bits.
struct FloatOps {
  /// sum of a[j] * b[j]
  float (*dot)(const float* a, const float* b, int64_t n);
  /// sum of w[j] * b[j], w IEEE binary16
  float (*dot_f16)(const uint16_t* w, const float* b, int64_t n);
  /// sum of w[j] * b[j], w the upper half of a float32
  float (*dot_bf16)(const uint16_t* w, const float* b, int64_t n);
  /// The largest magnitude, 0 for n = 0; infinity or a NaN if an element is infinite or NaN.
  float (*largest)(const float* x, int64_t n);
  /// q[j] = x[j] * scale to the nearest whole number, ties to the even one; returns their sum. |x[j] * scale| < 128.
  int32_t (*quantize)(const float* x, float scale, int8_t* q, int64_t n);
};

extern const FloatOps kFloatScalar;
#if defined(__x86_64__)
extern const FloatOps kFloatAvx2;
#endif

/// The fastest this CPU has.
const FloatOps& float_ops();

}  // namespace tritcheck::engine
