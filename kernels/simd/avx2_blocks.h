// A row of blocks with scales, of whatever format, in AVX2: each block's sum of weights * q is exact in int16 lanes,
// and goes to eight float lanes with its scales.
#pragma once

#include "kernels/simd/avx2.h"
#include "kernels/simd/blocks.h"

namespace tritcheck {
namespace {

/// How far ahead weights are asked for, in blocks. They are read once, and the CPU's own prefetchers leave some of
/// their latency to the loop: on an Intel Xeon 4 % in the second-level cache, 15 to 20 % from memory.
constexpr uintptr_t kAhead = 8;

/// Asks for the cache line there; an address past the end of all memory is as good as any, and nothing is read.
[[maybe_unused]] inline void prefetch(uintptr_t address) {
  _mm_prefetch(reinterpret_cast<const char*>(address), _MM_HINT_T0);
}

/// The product of a block's scales in all lanes. The weights' scale goes through memory: a load spreads it over the
/// lanes without the vector units, which are what the loop waits for.
[[maybe_unused]] inline __m256 product_of_scales(const uint8_t* x_scale, const uint8_t* y) {
  float scale = load_half(x_scale);
  __asm__("" : "+m"(scale));
  return _mm256_mul_ps(_mm256_broadcast_ss(&scale), _mm256_set1_ps(load_float(y)));
}

/// a * b + c; rounded once where the file is compiled with FMA.
[[maybe_unused]] inline __m256 multiply_add(__m256 a, __m256 b, __m256 c) {
#ifdef __FMA__
  return _mm256_fmadd_ps(a, b, c);
#else
  return _mm256_add_ps(_mm256_mul_ps(a, b), c);
#endif
}

/// Of a Core: kBlockBytes, kScale (where the fp16 is) and sums(x, y), the int16 lanes of one block.
template <class Core>
float row_of_blocks(int64_t blocks, const uint8_t* x, const uint8_t* y) {
  __m256 total = _mm256_setzero_ps();
  for (; blocks > 0; --blocks, x += Core::kBlockBytes, y += Q8K::kBytes) {
    prefetch(reinterpret_cast<uintptr_t>(x) + kAhead * Core::kBlockBytes);
    const __m256 scale = product_of_scales(x + Core::kScale, y);
    const __m256 sums = _mm256_cvtepi32_ps(Avx2::madd(Core::sums(x, y), Avx2::set16(1)));
    total = multiply_add(sums, scale, total);
  }
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(total), _mm256_extractf128_ps(total, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}

}  // namespace
}  // namespace tritcheck
