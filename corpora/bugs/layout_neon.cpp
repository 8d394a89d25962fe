#include "corpora/bugs/bugs.h"
#include "corpora/bugs/neon.h"

using namespace tritcheck::museum;

// microsoft/BitNet #585: the NEON branch is compiled for blocks of 64 whatever the file holds.
extern "C" void bug_layout_64_on_128_neon(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                          size_t, int) {
  int32x4_t sum = vdupq_n_s32(0);
  for (int64_t b = 0; b < k / 64; ++b) {
    sum = vpadalq_s16(sum, add_group(vdupq_n_s16(0), vld1q_u8(w + b * 16), q + b * 64, 16));
  }
  out[0] = vaddvq_s32(sum);
}

// A de-interleaving load puts the even activations of a plane into one register and the odd ones into the other;
// the weights are not de-interleaved.
extern "C" void bug_layout_vld2_neon(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                     int) {
  int32x4_t sum = vdupq_n_s32(0);
  for (int64_t b = 0; b < k / 128; ++b, w += 32, q += 128) {
    const uint8x16_t low = vld1q_u8(w);
    const uint8x16_t high = vld1q_u8(w + 16);
    const int8x16x2_t q0 = vld2q_s8(q);
    const int8x16x2_t q1 = vld2q_s8(q + 32);
    const int8x16x2_t q2 = vld2q_s8(q + 64);
    const int8x16x2_t q3 = vld2q_s8(q + 96);
    int16x8_t block = add_products(vdupq_n_s16(0), plane_of<0>(low), q0.val[0]);
    block = add_products(block, plane_of<0>(high), q0.val[1]);
    block = add_products(block, plane_of<1>(low), q1.val[0]);
    block = add_products(block, plane_of<1>(high), q1.val[1]);
    block = add_products(block, plane_of<2>(low), q2.val[0]);
    block = add_products(block, plane_of<2>(high), q2.val[1]);
    block = add_products(block, plane_of<3>(low), q3.val[0]);
    block = add_products(block, plane_of<3>(high), q3.val[1]);
    sum = vpadalq_s16(sum, block);
  }
  out[0] = vaddvq_s32(sum);
}
