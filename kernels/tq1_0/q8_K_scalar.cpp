#include "kernels/kernel.h"
#include "kernels/tq1_0/block.h"

namespace tritcheck::tq1_0 {
namespace {

// `count` bytes of `digits` weights each. A multiplication by 3 brings one digit to bit 8 and the rest below it.
template <int count, int digits>
int32_t sum_of(const uint8_t* x, const int8_t* q) {
  int32_t sum = 0;
  for (int m = 0; m < count; ++m) {
    unsigned rest = x[m];
    for (int i = 0; i < digits; ++i) {
      rest *= 3;
      sum += (static_cast<int>(rest >> 8) - 1) * q[count * i + m];
      rest &= 0xFF;
    }
  }
  return sum;
}

float row(int64_t blocks, const uint8_t* x, const uint8_t* y) {
  float total = 0;
  for (; blocks > 0; --blocks, x += kBlockBytes, y += Q8K::kBytes) {
    const auto* q = reinterpret_cast<const int8_t*>(y + Q8K::kCodes);
    const int32_t sum = sum_of<32, 5>(x, q) + sum_of<16, 5>(x + kTail, q + 160) + sum_of<4, 4>(x + kLast, q + 240);
    total += load_half(x + kScale) * load_float(y) * static_cast<float>(sum);
  }
  return total;
}

}  // namespace
}  // namespace tritcheck::tq1_0

TRITCHECK_VEC_DOT_OF(tq1_0_q8_K_dot_scalar, tritcheck::tq1_0::row)
