// NEON with the dot product instructions (ARMv8.2 DotProd).
#pragma once

#include "kernels/i2_s/neon.h"
#include "kernels/simd/dotprod_sum.h"

namespace tritcheck::i2_s {
namespace {

using tritcheck::DotSum;

}  // namespace
}  // namespace tritcheck::i2_s
