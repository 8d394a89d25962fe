#include "kernels/i2_s/scalar.h"

namespace {
using Core = tritcheck::i2_s::Scalar<1>;
}  // namespace

TRITCHECK_I2_S_DOT(i2_s_linear_dot_scalar, Core)
TRITCHECK_I2_S_ROWS(i2_s_linear_rows_scalar, Core)
TRITCHECK_I2_S_ACTS(i2_s_linear_acts_scalar, Core)
TRITCHECK_I2_S_GEMV(i2_s_linear_gemv_scalar, Core)
