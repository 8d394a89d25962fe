// A row of blocks with scales, of whatever format, in NEON: each block's sum of weights * q is exact in int32 lanes,
// and goes to four float lanes with its scale.
#pragma once

#include "kernels/simd/blocks.h"
#include "kernels/simd/neon.h"

namespace tritcheck {
namespace {

/// Of a Core: kBlockBytes, kScale (where the fp16 is) and sums(x, y), the int32 lanes of one block.
template <class Core>
float row_of_blocks(int64_t blocks, const uint8_t* x, const uint8_t* y) {
  float32x4_t total = vdupq_n_f32(0);
  for (; blocks > 0; --blocks, x += Core::kBlockBytes, y += Q8K::kBytes) {
    const float32x4_t sums = vcvtq_f32_s32(Core::sums(x, y));
    total = vaddq_f32(total, vmulq_n_f32(sums, load_half(x + Core::kScale) * load_float(y)));
  }
  return vaddvq_f32(total);
}

/// The codes of activations i to i + 15.
[[maybe_unused]] inline int8x16_t load_codes(const uint8_t* y, int i) {
  return vld1q_s8(reinterpret_cast<const int8_t*>(y + Q8K::kCodes + i));
}

}  // namespace
}  // namespace tritcheck
