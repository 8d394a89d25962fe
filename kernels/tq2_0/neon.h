// TQ2_0 in NEON, with either of the running sums.
#pragma once

#include "kernels/simd/neon_blocks.h"
#include "kernels/tq2_0/block.h"

namespace tritcheck::tq2_0 {
namespace {

/// Unsigned codes times activations; the offset of 1 goes off with the bsums. Each of two sums takes 8 adds of a block.
template <class Sum>
struct Neon {
  static constexpr ptrdiff_t kBlockBytes = tq2_0::kBlockBytes;
  static constexpr ptrdiff_t kScale = tq2_0::kScale;

  static int32x4_t sums(const uint8_t* x, const uint8_t* y) {
    const uint8x16_t mask = vdupq_n_u8(3);
    Sum even;
    Sum odd;
    for (int v = 0; v < 4; ++v) {
      const uint8x16_t bits = vld1q_u8(x + 16 * v);
      const int q = 128 * (v / 2) + 16 * (v % 2);
      even.add(vreinterpretq_s8_u8(vandq_u8(bits, mask)), load_codes(y, q));
      odd.add(vreinterpretq_s8_u8(vandq_u8(vshrq_n_u8(bits, 2), mask)), load_codes(y, q + 32));
      even.add(vreinterpretq_s8_u8(vandq_u8(vshrq_n_u8(bits, 4), mask)), load_codes(y, q + 64));
      odd.add(vreinterpretq_s8_u8(vshrq_n_u8(bits, 6)), load_codes(y, q + 96));
    }
    even.widen();
    odd.widen();
    const int16x8_t low = vreinterpretq_s16_u8(vld1q_u8(y + Q8K::kSums));
    const int16x8_t high = vreinterpretq_s16_u8(vld1q_u8(y + Q8K::kSums + 16));
    // two bsums of 16 * 128 at most make 4096: still int16
    return vsubq_s32(vaddq_s32(even.total, odd.total), vpaddlq_s16(vaddq_s16(low, high)));
  }
};

}  // namespace
}  // namespace tritcheck::tq2_0
