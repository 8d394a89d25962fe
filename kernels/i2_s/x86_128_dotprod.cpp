#include "kernels/i2_s/dotprod.h"

namespace {
using Core = tritcheck::i2_s::Neon<tritcheck::i2_s::DotSum, 32>;
}  // namespace

TRITCHECK_I2_S_DOT(i2_s_x86_128_dot_dotprod, Core)
TRITCHECK_I2_S_ROWS(i2_s_x86_128_rows_dotprod, Core)
TRITCHECK_I2_S_ACTS(i2_s_x86_128_acts_dotprod, Core)
TRITCHECK_I2_S_GEMV(i2_s_x86_128_gemv_dotprod, Core)
