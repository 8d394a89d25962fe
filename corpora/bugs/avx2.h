// AVX2 pieces of the broken kernels.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace tritcheck::museum {

static inline __m256i load32(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

/// The codes of one plane of 32 packed bytes; plane 0 is the most significant.
template <int kPlane>
static inline __m256i plane_of(__m256i bytes) {
  return _mm256_and_si256(_mm256_srli_epi16(bytes, 6 - 2 * kPlane), _mm256_set1_epi8(3));
}

/// A block of x86_128: in each int16 lane the sum of eight products code * q.
static inline __m256i block16(const uint8_t* w, const int8_t* q) {
  const __m256i bytes = load32(w);
  __m256i sum = _mm256_maddubs_epi16(plane_of<0>(bytes), load32(q));
  sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(plane_of<1>(bytes), load32(q + 32)));
  sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(plane_of<2>(bytes), load32(q + 64)));
  return _mm256_add_epi16(sum, _mm256_maddubs_epi16(plane_of<3>(bytes), load32(q + 96)));
}

/// Adjacent int16 lanes added into int32.
static inline __m256i widen(__m256i sum16) {
  return _mm256_madd_epi16(sum16, _mm256_set1_epi16(1));
}

static inline int32_t total(__m256i sum32) {
  __m128i half = _mm_add_epi32(_mm256_castsi256_si128(sum32), _mm256_extracti128_si256(sum32, 1));
  half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4E));
  half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0xB1));
  return _mm_cvtsi128_si32(half);
}

}  // namespace tritcheck::museum
