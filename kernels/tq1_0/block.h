// The block of TQ1_0 as its kernels read it: 48 bytes of five weights, 4 bytes of four, and the scale as fp16.
//
// A byte is a fraction in 256ths whose digits in base 3 are the weights + 1. So the first digit of x is 3x / 256
// rounded down, which is 0 up to x = 85, 2 from x = 171, else 1; and 3x mod 256 has the next digit first. Any byte is
// legal.
//
//   bytes 0..31    digit i of byte m is weight 32 i + m
//   bytes 32..47   digit i of byte 32 + m is weight 160 + 16 i + m
//   bytes 48..51   digit i of byte 48 + m is weight 240 + 4 i + m
#pragma once

#include "kernels/simd/blocks.h"

namespace tritcheck::tq1_0 {
namespace {

constexpr ptrdiff_t kBlockBytes = 54;
constexpr ptrdiff_t kTail = 32;
constexpr ptrdiff_t kLast = 48;
constexpr ptrdiff_t kScale = 52;

}  // namespace
}  // namespace tritcheck::tq1_0
