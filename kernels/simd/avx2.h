// AVX2 in the terms of kernels/i2_s/maddubs.h, and what kernels of blocks with scales need. Internal linkage, as
// everything a kernel file compiles with its own flags.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace tritcheck {
namespace {

struct Avx2 {
  using V = __m256i;
  static constexpr int kBytes = 32;
  static V zero() { return _mm256_setzero_si256(); }
  static V load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
  static V set8(int x) { return _mm256_set1_epi8(static_cast<char>(x)); }
  static V set16(int x) { return _mm256_set1_epi16(static_cast<short>(x)); }
  static V and_(V a, V b) { return _mm256_and_si256(a, b); }
  static V shift_right_2(V a) { return _mm256_srli_epi16(a, 2); }
  static V shift_right_4(V a) { return _mm256_srli_epi16(a, 4); }
  static V shift_right_6(V a) { return _mm256_srli_epi16(a, 6); }
  static V maddubs(V codes, V q) { return _mm256_maddubs_epi16(codes, q); }
  static V madd(V a, V b) { return _mm256_madd_epi16(a, b); }
  static V add16(V a, V b) { return _mm256_add_epi16(a, b); }
  static V add32(V a, V b) { return _mm256_add_epi32(a, b); }
  /// Pins a running sum to a register: gcc would sum in trees, run out of registers and spill.
  static void pin(V& v) { __asm__("" : "+x"(v)); }
  static int32_t sum32(V v) {
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4E));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xB1));
    return _mm_cvtsi128_si32(s);
  }
  /// Adds scale times each pair of int16 lanes to a float lane. Up to there everything is exact: a pair has 17 bits.
  static __m256 add_scaled(__m256 total, V pairs, float scale) {
    const __m256 sums = _mm256_cvtepi32_ps(madd(pairs, set16(1)));
    return _mm256_add_ps(total, _mm256_mul_ps(sums, _mm256_set1_ps(scale)));
  }
  static float sum_float(__m256 v) {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
  }
};

}  // namespace
}  // namespace tritcheck
