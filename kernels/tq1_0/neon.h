// TQ1_0 in NEON, with either of the running sums.
#pragma once

#include "kernels/simd/neon_blocks.h"
#include "kernels/tq1_0/block.h"

namespace tritcheck::tq1_0 {
namespace {

/// The weight in the first digit of every byte: comparisons are -1 where they hold.
[[maybe_unused]] inline int8x16_t weights(uint8x16_t x) {
  const uint8x16_t is_0 = vcleq_u8(x, vdupq_n_u8(85));
  const uint8x16_t is_2 = vcgeq_u8(x, vdupq_n_u8(171));
  return vreinterpretq_s8_u8(vsubq_u8(is_0, is_2));
}

/// Weights, and not digits, times activations: signed factors need no bsums. Each of two sums takes 8 adds of a block.
template <class Sum>
struct Neon {
  static constexpr ptrdiff_t kBlockBytes = tq1_0::kBlockBytes;
  static constexpr ptrdiff_t kScale = tq1_0::kScale;

  static int32x4_t sums(const uint8_t* x, const uint8_t* y) {
    const uint8x16_t three = vdupq_n_u8(3);
    Sum even;
    Sum odd;
    uint8x16_t low = vld1q_u8(x);
    uint8x16_t high = vld1q_u8(x + 16);
    uint8x16_t tail = vld1q_u8(x + kTail);
    for (int i = 0; i < 5; ++i) {
      even.add(weights(low), load_codes(y, 32 * i));
      odd.add(weights(high), load_codes(y, 32 * i + 16));
      (i % 2 == 0 ? even : odd).add(weights(tail), load_codes(y, 160 + 16 * i));
      low = vmulq_u8(low, three);
      high = vmulq_u8(high, three);
      tail = vmulq_u8(tail, three);
    }
    // the last four bytes, four at a time a digit further
    constexpr uint8_t powers[] = {1, 1, 1, 1, 3, 3, 3, 3, 9, 9, 9, 9, 27, 27, 27, 27};
    uint32_t last;
    std::memcpy(&last, x + kLast, sizeof last);
    odd.add(weights(vmulq_u8(vreinterpretq_u8_u32(vdupq_n_u32(last)), vld1q_u8(powers))), load_codes(y, 240));
    even.widen();
    odd.widen();
    return vaddq_s32(even.total, odd.total);
  }
};

}  // namespace
}  // namespace tritcheck::tq1_0
