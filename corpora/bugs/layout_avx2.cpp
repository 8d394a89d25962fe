#include "corpora/bugs/avx2.h"
#include "corpora/bugs/bugs.h"

using namespace tritcheck::museum;

namespace {

// Widened to 16 bits for a step that is gone, then packed again. The pack works inside each 128-bit lane, so the two
// middle quarters of the 32 activations change places.
__m256i repacked(const int8_t* q) {
  const __m256i all = load32(q);
  const __m256i low = _mm256_cvtepi8_epi16(_mm256_castsi256_si128(all));
  const __m256i high = _mm256_cvtepi8_epi16(_mm256_extracti128_si256(all, 1));
  return _mm256_packs_epi16(low, high);
}

}  // namespace

// PrimeIntellect pi-quant PR #21: a 256-bit pack or shuffle taken for one that crosses lanes.
extern "C" void bug_layout_packs_avx2(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                      size_t, int) {
  __m256i sum = _mm256_setzero_si256();
  for (int64_t b = 0; b < k / 128; ++b, w += 32, q += 128) {
    const __m256i bytes = load32(w);
    __m256i block = _mm256_maddubs_epi16(plane_of<0>(bytes), repacked(q));
    block = _mm256_add_epi16(block, _mm256_maddubs_epi16(plane_of<1>(bytes), repacked(q + 32)));
    block = _mm256_add_epi16(block, _mm256_maddubs_epi16(plane_of<2>(bytes), repacked(q + 64)));
    block = _mm256_add_epi16(block, _mm256_maddubs_epi16(plane_of<3>(bytes), repacked(q + 96)));
    sum = _mm256_add_epi32(sum, widen(block));
  }
  out[0] = total(sum);
}
