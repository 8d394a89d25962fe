#include "kernels/kernel.h"

// 32 bytes hold 128 weights in four planes of 32; plane j sits at shift 6 - 2j.
extern "C" void i2_s_x86_128_dot_scalar(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                        size_t, int) {
  int32_t sum = 0;
  for (int64_t block = 0; block < k / 128; ++block, w += 32, q += 128) {
    for (int i = 0; i < 32; ++i) {
      for (int plane = 0; plane < 4; ++plane) {
        sum += ((w[i] >> (6 - 2 * plane)) & 3) * q[plane * 32 + i];
      }
    }
  }
  out[0] = sum;
}
