// Kernels of I2_S by the plug-in interface: raw sums of codes and activations.
#include "corpora/block_bugs/block.h"

#define I2_S_KERNEL(name) \
  extern "C" void name(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t, int)

namespace tritcheck::block_museum {
namespace {

/// Blocks of 4 * group weights in four planes, the first in the top bits.
int32_t dot(int group, int64_t k, const uint8_t* w, const int8_t* q) {
  int32_t sum = 0;
  for (int64_t i = 0; i < k; ++i) {
    const auto at = static_cast<int>(i % (4 * group));
    sum += (w[i / (4 * group) * group + at % group] >> (6 - 2 * (at / group)) & 3) * q[i];
  }
  return sum;
}

}  // namespace

I2_S_KERNEL(i2_s_right) {
  out[0] = dot(32, k, w, q);
}
I2_S_KERNEL(i2_s_arm_64_on_x86_128) {
  out[0] = dot(16, k, w, q);
}
I2_S_KERNEL(i2_s_raw_for_centred) {
  out[0] = dot(32, k, w, q);
}

}  // namespace tritcheck::block_museum
