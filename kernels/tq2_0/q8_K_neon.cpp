#include "kernels/kernel.h"
#include "kernels/simd/neon_sum.h"
#include "kernels/tq2_0/neon.h"

TRITCHECK_VEC_DOT_OF(tq2_0_q8_K_dot_neon, tritcheck::row_of_blocks<tritcheck::tq2_0::Neon<tritcheck::MullSum>>)
