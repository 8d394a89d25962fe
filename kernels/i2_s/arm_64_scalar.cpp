#include "kernels/i2_s/scalar.h"

namespace {
using Core = tritcheck::i2_s::Scalar<16>;
}  // namespace

TRITCHECK_I2_S_DOT(i2_s_arm_64_dot_scalar, Core)
TRITCHECK_I2_S_ROWS(i2_s_arm_64_rows_scalar, Core)
TRITCHECK_I2_S_ACTS(i2_s_arm_64_acts_scalar, Core)
TRITCHECK_I2_S_GEMV(i2_s_arm_64_gemv_scalar, Core)
