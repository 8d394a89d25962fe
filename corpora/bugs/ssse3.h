// SSSE3 pieces of the broken kernels.
#pragma once

#include <tmmintrin.h>

#include <cstdint>

namespace tritcheck::museum {

static inline __m128i load16(const void* p) {
  return _mm_loadu_si128(static_cast<const __m128i*>(p));
}

/// The codes of one plane of 16 packed bytes; plane 0 is the most significant.
template <int kPlane>
static inline __m128i plane_of(__m128i bytes) {
  return _mm_and_si128(_mm_srli_epi16(bytes, 6 - 2 * kPlane), _mm_set1_epi8(3));
}

/// Adjacent int16 lanes added into int32.
static inline __m128i widen(__m128i sum16) {
  return _mm_madd_epi16(sum16, _mm_set1_epi16(1));
}

static inline int32_t total(__m128i sum32) {
  sum32 = _mm_add_epi32(sum32, _mm_shuffle_epi32(sum32, 0x4E));
  sum32 = _mm_add_epi32(sum32, _mm_shuffle_epi32(sum32, 0xB1));
  return _mm_cvtsi128_si32(sum32);
}

}  // namespace tritcheck::museum
