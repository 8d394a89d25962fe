#include "corpora/bugs/bugs.h"
#include "corpora/bugs/neon.h"

using namespace tritcheck::museum;

namespace {

// Adds sum(code * q) of 16 weights as sum(|weight| * (+-q)) + sum(q).
int16x8_t add_signed(int16x8_t sum, int8x16_t codes, int8x16_t q) {
  const uint8x16_t minus = vceqq_s8(codes, vdupq_n_s8(0));
  const int8x16_t signed_q = vbslq_s8(minus, vqnegq_s8(q), q);  // -(-128) clamps to 127
  const int8x16_t magnitude = vabdq_s8(codes, vdupq_n_s8(1));
  sum = add_products(sum, magnitude, signed_q);
  return add_products(sum, vdupq_n_s8(1), q);
}

}  // namespace

// A saturating negation, chosen so that -128 "cannot overflow": it is off by one instead.
extern "C" void bug_int8_min_neon(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                  int) {
  int32x4_t sum = vdupq_n_s32(0);
  for (int64_t b = 0; b < k / 128; ++b, w += 32, q += 128) {
    for (int half = 0; half < 32; half += 16) {
      const uint8x16_t bytes = vld1q_u8(w + half);
      int16x8_t block = add_signed(vdupq_n_s16(0), plane_of<0>(bytes), vld1q_s8(q + half));
      block = add_signed(block, plane_of<1>(bytes), vld1q_s8(q + half + 32));
      block = add_signed(block, plane_of<2>(bytes), vld1q_s8(q + half + 64));
      block = add_signed(block, plane_of<3>(bytes), vld1q_s8(q + half + 96));
      sum = vpadalq_s16(sum, block);
    }
  }
  out[0] = vaddvq_s32(sum);
}
