#include "corpora/bugs/bugs.h"
#include "corpora/bugs/neon.h"

using namespace tritcheck::museum;

// microsoft/BitNet #411, PR #459: 32 blocks of 64 go into int16 lanes before they are widened; eight products of a
// block share a lane and add up to 2032, so 16 blocks fit and 17 do not.
extern "C" void bug_int16_32_blocks_arm_64_neon(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t,
                                                const int8_t* q, size_t, int) {
  int32x4_t sum = vdupq_n_s32(0);
  for (int64_t blocks = k / 64; blocks > 0;) {
    const int64_t batch = blocks < 32 ? blocks : 32;
    int16x8_t lanes = vdupq_n_s16(0);
    for (int64_t b = 0; b < batch; ++b, w += 16, q += 64) lanes = add_group(lanes, vld1q_u8(w), q, 16);
    sum = vpadalq_s16(sum, lanes);
    blocks -= batch;
  }
  out[0] = vaddvq_s32(sum);
}

// The same habit on blocks of 128, with an accumulator for each half of the 32 bytes.
extern "C" void bug_int16_32_blocks_neon(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                         size_t, int) {
  int32x4_t sum = vdupq_n_s32(0);
  for (int64_t blocks = k / 128; blocks > 0;) {
    const int64_t batch = blocks < 32 ? blocks : 32;
    int16x8_t low = vdupq_n_s16(0);
    int16x8_t high = vdupq_n_s16(0);
    for (int64_t b = 0; b < batch; ++b, w += 32, q += 128) {
      low = add_group(low, vld1q_u8(w), q, 32);
      high = add_group(high, vld1q_u8(w + 16), q + 16, 32);
    }
    sum = vpadalq_s16(vpadalq_s16(sum, low), high);
    blocks -= batch;
  }
  out[0] = vaddvq_s32(sum);
}
