#include "corpora/bugs/avx2.h"
#include "corpora/bugs/bugs.h"

using namespace tritcheck::museum;

// To save a shift, the top field is multiplied where it stands, as 64 * code, and the sum shifted down afterwards. A
// pair may then reach 2 * 192 * 127, and the multiply-add clamps it at 32767.
extern "C" void bug_saturation_avx2(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                    int) {
  __m256i sum = _mm256_setzero_si256();
  for (int64_t b = 0; b < k / 128; ++b, w += 32, q += 128) {
    const __m256i bytes = load32(w);
    const __m256i top = _mm256_and_si256(bytes, _mm256_set1_epi8(static_cast<char>(0xC0)));
    __m256i block = _mm256_srai_epi16(_mm256_maddubs_epi16(top, load32(q)), 6);
    block = _mm256_add_epi16(block, _mm256_maddubs_epi16(plane_of<1>(bytes), load32(q + 32)));
    block = _mm256_add_epi16(block, _mm256_maddubs_epi16(plane_of<2>(bytes), load32(q + 64)));
    block = _mm256_add_epi16(block, _mm256_maddubs_epi16(plane_of<3>(bytes), load32(q + 96)));
    sum = _mm256_add_epi32(sum, widen(block));
  }
  out[0] = total(sum);
}
