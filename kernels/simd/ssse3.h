// SSSE3 in the terms of kernels/i2_s/maddubs.h. Internal linkage, as everything a kernel file compiles with its own
// flags.
#pragma once

#include <tmmintrin.h>

#include <cstdint>

namespace tritcheck {
namespace {

struct Ssse3 {
  using V = __m128i;
  static constexpr int kBytes = 16;
  static V zero() { return _mm_setzero_si128(); }
  static V load(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
  static V set8(int x) { return _mm_set1_epi8(static_cast<char>(x)); }
  static V set16(int x) { return _mm_set1_epi16(static_cast<short>(x)); }
  static V and_(V a, V b) { return _mm_and_si128(a, b); }
  static V shift_right_2(V a) { return _mm_srli_epi16(a, 2); }
  static V shift_right_4(V a) { return _mm_srli_epi16(a, 4); }
  static V shift_right_6(V a) { return _mm_srli_epi16(a, 6); }
  static V maddubs(V codes, V q) { return _mm_maddubs_epi16(codes, q); }
  static V madd(V a, V b) { return _mm_madd_epi16(a, b); }
  static V add16(V a, V b) { return _mm_add_epi16(a, b); }
  static V add32(V a, V b) { return _mm_add_epi32(a, b); }
  /// Pins a running sum to a register: gcc would sum in trees, run out of registers and spill.
  static void pin(V& v) { __asm__("" : "+x"(v)); }
  static int32_t sum32(V v) {
    v = _mm_add_epi32(v, _mm_shuffle_epi32(v, 0x4E));
    v = _mm_add_epi32(v, _mm_shuffle_epi32(v, 0xB1));
    return _mm_cvtsi128_si32(v);
  }
};

}  // namespace
}  // namespace tritcheck
