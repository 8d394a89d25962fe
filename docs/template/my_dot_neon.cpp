// The same with NEON. On x86 it is compiled through SIMDe, if that is installed; the header takes care of it.
#include "kernels/kernel.h"
#include "kernels/simd/neon.h"

extern "C" void my_dot_neon(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t, int) {
  const uint8x16_t mask = vdupq_n_u8(3);
  int32x4_t sum = vdupq_n_s32(0);
  for (int64_t block = 0; block < k / 128; ++block) {
    for (int half = 0; half < 32; half += 16) {
      uint8x16_t bytes = vld1q_u8(w + block * 32 + half);
      for (int field = 3; field >= 0; --field) {  // the lowest two bits are the last field
        const int8x16_t codes = vreinterpretq_s8_u8(vandq_u8(bytes, mask));
        const int8x16_t acts = vld1q_s8(q + block * 128 + field * 32 + half);
        sum = vpadalq_s16(sum, vmull_s8(vget_low_s8(codes), vget_low_s8(acts)));
        sum = vpadalq_s16(sum, vmull_s8(vget_high_s8(codes), vget_high_s8(acts)));
        bytes = vshrq_n_u8(bytes, 2);
      }
    }
  }
  out[0] = vaddvq_s32(sum);
}
