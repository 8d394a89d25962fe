#include "kernels/kernel.h"
#include "kernels/simd/dotprod_sum.h"
#include "kernels/tq1_0/neon.h"

TRITCHECK_VEC_DOT_OF(tq1_0_q8_K_dot_dotprod, tritcheck::row_of_blocks<tritcheck::tq1_0::Neon<tritcheck::DotSum>>)
