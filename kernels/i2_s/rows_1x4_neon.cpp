#include "kernels/i2_s/neon.h"
#include "kernels/i2_s/rows_1x4.h"

namespace {

using tritcheck::i2_s::MullSum;

// 16 columns at a time; each row of the group has a sum of its own and takes one add per vector.
struct Core {
  static void group(int64_t k, const uint8_t* w, const int8_t* q, int32_t* sums) {
    MullSum sum[4];
    int64_t c = 0;
    while (c + 16 <= k) {
      for (int n = 0; n < MullSum::kAdds && c + 16 <= k; ++n, c += 16) {
        const tritcheck::i2_s::Planes codes = tritcheck::i2_s::load_planes(w + c);
        const int8x16_t columns = vld1q_s8(q + c);
        for (int r = 0; r < 4; ++r) sum[r].add(codes.plane[r], columns);
      }
      for (MullSum& s : sum) s.widen();
    }
    for (int r = 0; r < 4; ++r) sums[r] = sum[r].sum();
    tritcheck::i2_s::add_columns(c, k, w, q, sums);
  }
};

}  // namespace

TRITCHECK_I2_S_GROUP_ROWS(i2_s_rows_1x4_rows_neon, Core)
TRITCHECK_I2_S_GROUP_GEMV(i2_s_rows_1x4_gemv_neon, Core)
