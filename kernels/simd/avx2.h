// AVX2 in the terms of kernels/i2_s/maddubs.h. Internal linkage, as everything a kernel file compiles with its own
// flags.
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
};

}  // namespace
}  // namespace tritcheck
