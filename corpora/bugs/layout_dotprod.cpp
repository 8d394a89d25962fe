#include "corpora/bugs/bugs.h"
#include "corpora/bugs/neon.h"

using namespace tritcheck::museum;

// microsoft/BitNet #585 on cores with dot product instructions: the same blocks of 64, summed straight into int32.
extern "C" void bug_layout_64_on_128_dotprod(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                             size_t, int) {
  int32x4_t sum = vdupq_n_s32(0);
  for (int64_t b = 0; b < k / 64; ++b) {
    const uint8x16_t bytes = vld1q_u8(w + b * 16);
    sum = vdotq_s32(sum, plane_of<0>(bytes), vld1q_s8(q + b * 64));
    sum = vdotq_s32(sum, plane_of<1>(bytes), vld1q_s8(q + b * 64 + 16));
    sum = vdotq_s32(sum, plane_of<2>(bytes), vld1q_s8(q + b * 64 + 32));
    sum = vdotq_s32(sum, plane_of<3>(bytes), vld1q_s8(q + b * 64 + 48));
  }
  out[0] = vaddvq_s32(sum);
}
