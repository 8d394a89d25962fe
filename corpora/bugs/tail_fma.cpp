#include "corpora/bugs/avx2.h"
#include "corpora/bugs/bugs.h"

using namespace tritcheck::museum;

namespace {

__m256 lanes(const uint8_t* w, const int8_t* q) {
  const __m256i bytes = load32(w);
  __m256i block = _mm256_maddubs_epi16(plane_of<0>(bytes), load32(q));
  block = _mm256_add_epi16(block, _mm256_maddubs_epi16(plane_of<1>(bytes), load32(q + 32)));
  block = _mm256_add_epi16(block, _mm256_maddubs_epi16(plane_of<2>(bytes), load32(q + 64)));
  block = _mm256_add_epi16(block, _mm256_maddubs_epi16(plane_of<3>(bytes), load32(q + 96)));
  return _mm256_cvtepi32_ps(widen(block));
}

}  // namespace

// One FMA serves two blocks, exactly, and a last one alone finds no partner.
extern "C" void bug_tail_odd_block_fma(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                       size_t, int) {
  __m256i sum = _mm256_setzero_si256();
  for (int64_t b = 0; b + 1 < k / 128; b += 2, w += 64, q += 256) {
    const __m256 two = _mm256_fmadd_ps(lanes(w, q), _mm256_set1_ps(1), lanes(w + 32, q + 128));
    sum = _mm256_add_epi32(sum, _mm256_cvtps_epi32(two));
  }
  out[0] = total(sum);
}
