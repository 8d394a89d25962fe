#include "kernels/i2_s/neon.h"

namespace {

using tritcheck::i2_s::MullSum;

// Four successive weights share a byte. A load that deals activations out by four puts each beside its plane.
struct Core {
  static int32_t row(int64_t k, const uint8_t* w, const int8_t* q) {
    constexpr int kChunk = MullSum::kAdds / 2;  // each of the two sums takes two adds per vector
    MullSum even;
    MullSum odd;
    for (int64_t vectors = k / 64; vectors > 0;) {
      const int n = static_cast<int>(vectors < kChunk ? vectors : kChunk);
      for (int v = 0; v < n; ++v, w += 16, q += 64) {
        const tritcheck::i2_s::Planes codes = tritcheck::i2_s::load_planes(w);
        const int8x16x4_t dealt = vld4q_s8(q);
        even.add(codes.plane[0], dealt.val[0]);
        odd.add(codes.plane[1], dealt.val[1]);
        even.add(codes.plane[2], dealt.val[2]);
        odd.add(codes.plane[3], dealt.val[3]);
      }
      even.widen();
      odd.widen();
      vectors -= n;
    }
    int32_t sum = even.sum() + odd.sum();
    for (int64_t i = 0; i < k % 64; ++i) sum += (w[i / 4] >> (6 - 2 * (i % 4)) & 3) * q[i];
    return sum;
  }
};

}  // namespace

TRITCHECK_I2_S_DOT(i2_s_linear_dot_neon, Core)
TRITCHECK_I2_S_ROWS(i2_s_linear_rows_neon, Core)
TRITCHECK_I2_S_GEMV(i2_s_linear_gemv_neon, Core)
