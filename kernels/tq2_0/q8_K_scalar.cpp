#include "kernels/kernel.h"
#include "kernels/tq2_0/block.h"

namespace tritcheck::tq2_0 {
namespace {

float row(int64_t blocks, const uint8_t* x, const uint8_t* y) {
  float total = 0;
  for (; blocks > 0; --blocks, x += kBlockBytes, y += Q8K::kBytes) {
    int32_t sum = 0;
    for (int half = 0; half < 2; ++half) {
      const uint8_t* w = x + 32 * half;
      const auto* q = reinterpret_cast<const int8_t*>(y + Q8K::kCodes) + 128 * half;
      for (int i = 0; i < 32; ++i) {
        for (int plane = 0; plane < 4; ++plane) sum += ((w[i] >> (2 * plane) & 3) - 1) * q[32 * plane + i];
      }
    }
    total += load_half(x + kScale) * load_float(y) * static_cast<float>(sum);
  }
  return total;
}

}  // namespace
}  // namespace tritcheck::tq2_0

TRITCHECK_VEC_DOT_OF(tq2_0_q8_K_dot_scalar, tritcheck::tq2_0::row)
