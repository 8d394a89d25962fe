#include "kernels/i2_s/scalar.h"

namespace {
using Core = tritcheck::i2_s::Scalar<32>;
}  // namespace

TRITCHECK_I2_S_DOT(i2_s_x86_128_dot_scalar, Core)
TRITCHECK_I2_S_ROWS(i2_s_x86_128_rows_scalar, Core)
TRITCHECK_I2_S_ACTS(i2_s_x86_128_acts_scalar, Core)
TRITCHECK_I2_S_GEMV(i2_s_x86_128_gemv_scalar, Core)
