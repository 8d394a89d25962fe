// The same with AVX2. The suffix _avx2 of the file name makes the build add -mavx2.
#include <immintrin.h>

#include "kernels/kernel.h"

extern "C" void my_dot_avx2(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t, int) {
  const __m256i mask = _mm256_set1_epi8(3);
  __m256i sum = _mm256_setzero_si256();
  for (int64_t block = 0; block < k / 128; ++block) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w + block * 32));
    const auto field = [&](int shift, int first) {
      const __m256i codes = _mm256_and_si256(_mm256_srli_epi16(bytes, shift), mask);
      const auto* from = reinterpret_cast<const __m256i*>(q + block * 128 + first);
      return _mm256_maddubs_epi16(codes, _mm256_loadu_si256(from));
    };
    // at most 4 * 2 * 3 * 128 = 3072 in a 16-bit lane, so every block is widened at once
    const __m256i pairs =
        _mm256_add_epi16(_mm256_add_epi16(field(6, 0), field(4, 32)), _mm256_add_epi16(field(2, 64), field(0, 96)));
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
  alignas(32) int32_t lanes[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), sum);
  out[0] = 0;
  for (const int32_t lane : lanes) out[0] += lane;
}
