#include "kernels/i2_s/neon.h"

namespace {
using Core = tritcheck::i2_s::Neon<tritcheck::i2_s::MullSum, 16>;
}  // namespace

TRITCHECK_I2_S_DOT(i2_s_arm_64_dot_neon, Core)
TRITCHECK_I2_S_ROWS(i2_s_arm_64_rows_neon, Core)
TRITCHECK_I2_S_ACTS(i2_s_arm_64_acts_neon, Core)
TRITCHECK_I2_S_GEMV(i2_s_arm_64_gemv_neon, Core)
