// Running sums of products of bytes by the dot product instructions (ARMv8.2 DotProd): four products go straight into
// an int32 lane.
#pragma once

#include "kernels/simd/neon.h"

namespace tritcheck {
namespace {

/// As MullSum, but there is nothing to widen: even the whole sum fits one lane, 3 * 128 * 2^20 < 2^31.
struct DotSum {
  static constexpr int kAdds = 1 << 20;
  int32x4_t total = vdupq_n_s32(0);

  void add(int8x16_t codes, int8x16_t q) { total = vdotq_s32(total, codes, q); }
  void widen() {}
  int32_t sum() const { return vaddvq_s32(total); }
};

}  // namespace
}  // namespace tritcheck
