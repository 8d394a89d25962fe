/* A plug-in for tritcheck: one kernel and its contract. Replace the kernel by yours; docs/plugins.md says more. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tritcheck/kernel.h"

/* ggml's scales are IEEE halves. */
static float half_to_float(const uint8_t *at) {
  const unsigned bits = at[0] | at[1] << 8;
  const unsigned exponent = bits >> 10 & 31;
  const float mantissa = (float)(bits & 1023);
  float value;
  if (exponent == 31) {
    value = mantissa == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    value = ldexpf(mantissa, -24);
  } else {
    value = ldexpf(1024 + mantissa, (int)exponent - 25);
  }
  return bits >> 15 != 0 ? -value : value;
}

/* TQ2_0 by Q8_K: blocks of 256 weights in 66 bytes (64 of codes, then the scale) and of 256 activations in 292 (the
 * scale, then the activations, then sums that this kernel does not need). */
static void my_tq2_0_dot(int n, float *s, size_t bs, const void *vx, size_t bx, const void *vy, size_t by, int nrc) {
  const uint8_t *x = vx;
  const uint8_t *y = vy;
  float total = 0;
  (void)bs, (void)bx, (void)by, (void)nrc;
  for (int block = 0; block < n / 256; ++block, x += 66, y += 292) {
    int32_t sum = 0;
    float activation_scale;
    for (int e = 0; e < 256; ++e) {
      const int code = x[e / 128 * 32 + e % 32] >> (2 * (e % 128 / 32)) & 3;
      sum += (code - 1) * (int8_t)y[4 + e];
    }
    memcpy(&activation_scale, y, sizeof activation_scale);
    total += half_to_float(x + 64) * activation_scale * (float)sum;
  }
  *s = total;
}

const tritcheck_plugin_info *tritcheck_plugin(void) {
  static const tritcheck_kernel kernels[] = {
      {.name = "my_tq2_0_dot", .format = "tq2_0", .op = "vec_dot", .function = (tritcheck_function *)my_tq2_0_dot},
  };
  static const tritcheck_plugin_info info = TRITCHECK_PLUGIN_INFO("0.1", kernels);
  return &info;
}
