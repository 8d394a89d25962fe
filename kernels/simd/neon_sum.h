// Running sums of products of bytes by widening multiplies, for CPUs without the dot product instructions. The codes
// are small and may be multiplied as signed bytes.
#pragma once

#include "kernels/simd/neon.h"

namespace tritcheck {
namespace {

/// Sum of codes * q. With codes up to 3 a product is at most 3 * 128 = 384 in magnitude, and each add() puts one into
/// every int16 lane: 85 adds make 32640 and fit, 86 do not. widen() must be called in time.
struct MullSum {
  static constexpr int kAdds = 85;
  int16x8_t low = vdupq_n_s16(0);
  int16x8_t high = vdupq_n_s16(0);
  int32x4_t total = vdupq_n_s32(0);

  void add(int8x16_t codes, int8x16_t q) {
    low = vmlal_s8(low, vget_low_s8(codes), vget_low_s8(q));
    high = vmlal_s8(high, vget_high_s8(codes), vget_high_s8(q));
  }
  void widen() {
    total = vpadalq_s16(vpadalq_s16(total, low), high);
    low = high = vdupq_n_s16(0);
  }
  int32_t sum() const { return vaddvq_s32(total); }
};

}  // namespace
}  // namespace tritcheck
