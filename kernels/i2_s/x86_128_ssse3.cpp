#include "kernels/i2_s/maddubs.h"
#include "kernels/simd/ssse3.h"

namespace {
using Core = tritcheck::i2_s::Maddubs<tritcheck::Ssse3>;
}  // namespace

TRITCHECK_I2_S_DOT(i2_s_x86_128_dot_ssse3, Core)
TRITCHECK_I2_S_ROWS(i2_s_x86_128_rows_ssse3, Core)
TRITCHECK_I2_S_ACTS(i2_s_x86_128_acts_ssse3, Core)
TRITCHECK_I2_S_GEMV(i2_s_x86_128_gemv_ssse3, Core)
