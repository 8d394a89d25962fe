// The block of TQ2_0 as its kernels read it: 256 codes in 64 bytes, then the scale as fp16. Byte i of each half of 32
// holds codes i, 32 + i, 64 + i and 96 + i of 128, the first in the lowest bits. A weight is its code - 1.
#pragma once

#include "kernels/simd/blocks.h"

namespace tritcheck::tq2_0 {
namespace {

constexpr ptrdiff_t kBlockBytes = 66;
constexpr ptrdiff_t kScale = 64;

}  // namespace
}  // namespace tritcheck::tq2_0
