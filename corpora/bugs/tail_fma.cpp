#include "corpora/bugs/avx2.h"
#include "corpora/bugs/bugs.h"

using namespace tritcheck::museum;

namespace {

__m256 lanes(const uint8_t* w, const int8_t* q) {
  return _mm256_cvtepi32_ps(widen(block16(w, q)));
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
