// One I2_S product by whatever kernel was chosen: the call conventions of the four operations, in one place.
#pragma once

#include <cstdint>

#include "engine/matrix.h"
#include "kernels/kernel.h"

namespace tritcheck::engine {

/// y[t * m + r] for tokens t of the batch and rows r in [begin, end): exact integers, then i2_s::Epilogue::
/// integer_div_mul. begin and end are multiples of the kernel's row multiple.
/// q: tokens x k; scale, sum: one for each token.
void i2_s_product(const Kernel& kernel, const Matrix& w, int64_t tokens, const int8_t* q, const float* scale,
                  const int32_t* sum, int64_t begin, int64_t end, float* y);

}  // namespace tritcheck::engine
