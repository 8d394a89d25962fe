// NEON intrinsics: the CPU's on ARM, SIMDe's elsewhere.
#pragma once

#if defined(__aarch64__)
#include <arm_neon.h>
#else
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/arm/neon.h>
#endif

namespace tritcheck::museum {

/// The codes of one plane of 16 packed bytes; plane 0 is the most significant.
template <int kPlane>
static inline int8x16_t plane_of(uint8x16_t bytes) {
  if constexpr (kPlane == 3) {
    return vreinterpretq_s8_u8(vandq_u8(bytes, vdupq_n_u8(3)));
  } else {
    return vreinterpretq_s8_u8(vandq_u8(vshrq_n_u8(bytes, 6 - 2 * kPlane), vdupq_n_u8(3)));
  }
}

/// Adds 16 products to eight int16 lanes.
static inline int16x8_t add_products(int16x8_t sum, int8x16_t codes, int8x16_t q) {
  sum = vmlal_s8(sum, vget_low_s8(codes), vget_low_s8(q));
  return vmlal_s8(sum, vget_high_s8(codes), vget_high_s8(q));
}

/// Adds the products of 16 packed bytes; plane j meets the 16 activations at q + j * group.
static inline int16x8_t add_group(int16x8_t sum, uint8x16_t bytes, const int8_t* q, int group) {
  sum = add_products(sum, plane_of<0>(bytes), vld1q_s8(q));
  sum = add_products(sum, plane_of<1>(bytes), vld1q_s8(q + group));
  sum = add_products(sum, plane_of<2>(bytes), vld1q_s8(q + 2 * group));
  return add_products(sum, plane_of<3>(bytes), vld1q_s8(q + 3 * group));
}

}  // namespace tritcheck::museum
