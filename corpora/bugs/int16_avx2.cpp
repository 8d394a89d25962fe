#include "corpora/bugs/avx2.h"
#include "corpora/bugs/bugs.h"

using namespace tritcheck::museum;

// microsoft/BitNet #629: 32 blocks are summed in int16 lanes before they are widened. A block adds up to 2032 to a lane
// (codes 0..2, |q| <= 127), so 16 blocks fit and 17 do not.
extern "C" void bug_int16_32_blocks_avx2(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                         size_t, int) {
  __m256i sum = _mm256_setzero_si256();
  for (int64_t blocks = k / 128; blocks > 0;) {
    const int64_t batch = blocks < 32 ? blocks : 32;
    __m256i lanes = _mm256_setzero_si256();
    for (int64_t b = 0; b < batch; ++b, w += 32, q += 128) lanes = _mm256_add_epi16(lanes, block16(w, q));
    sum = _mm256_add_epi32(sum, widen(lanes));
    blocks -= batch;
  }
  out[0] = total(sum);
}
