#include "kernels/kernel.h"
#include "kernels/tq2_0/avx2.h"

TRITCHECK_VEC_DOT_OF(tq2_0_q8_K_dot_avx2, tritcheck::row_of_blocks<tritcheck::tq2_0::Avx2Core>)
