// A row of blocks with scales, of whatever format, in AVX2: each block's sum of weights * q is exact in int16 lanes,
// and goes to eight float lanes with its scales.
#pragma once

#include "kernels/simd/avx2.h"
#include "kernels/simd/blocks.h"

namespace tritcheck {
namespace {

/// Of a Core: kBlockBytes, kScale (where the fp16 is) and sums(x, y), the int16 lanes of one block.
template <class Core>
float row_of_blocks(int64_t blocks, const uint8_t* x, const uint8_t* y) {
  __m256 total = _mm256_setzero_ps();
  for (; blocks > 0; --blocks, x += Core::kBlockBytes, y += Q8K::kBytes) {
    const __m256 sums = _mm256_cvtepi32_ps(Avx2::madd(Core::sums(x, y), Avx2::set16(1)));
    const float scale = load_half(x + Core::kScale) * load_float(y);
    total = _mm256_add_ps(total, _mm256_mul_ps(sums, _mm256_set1_ps(scale)));
  }
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(total), _mm256_extractf128_ps(total, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}

}  // namespace
}  // namespace tritcheck
