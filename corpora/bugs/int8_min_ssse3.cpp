#include "corpora/bugs/bugs.h"
#include "corpora/bugs/ssse3.h"

using namespace tritcheck::museum;

namespace {

// sum(code * q) of 16 weights as sum(weight * q) + sum(q), in int16 lanes of which each holds two products.
__m128i products(__m128i codes, __m128i q) {
  const __m128i one = _mm_set1_epi8(1);
  const __m128i signed_q = _mm_sign_epi8(q, _mm_sub_epi8(codes, one));  // -(-128) has no int8
  const __m128i code3_again = _mm_and_si128(q, _mm_cmpeq_epi8(codes, _mm_set1_epi8(3)));
  __m128i sum = _mm_maddubs_epi16(one, signed_q);
  sum = _mm_add_epi16(sum, _mm_maddubs_epi16(one, code3_again));
  return _mm_add_epi16(sum, _mm_maddubs_epi16(one, q));
}

}  // namespace

// The sign instruction in place of a multiplication: psignb leaves -128 as it is.
extern "C" void bug_int8_min_ssse3(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                   int) {
  __m128i sum = _mm_setzero_si128();
  for (int64_t b = 0; b < k / 128; ++b, w += 32, q += 128) {
    for (int half = 0; half < 32; half += 16) {
      const __m128i bytes = load16(w + half);
      __m128i block = products(plane_of<0>(bytes), load16(q + half));
      block = _mm_add_epi16(block, products(plane_of<1>(bytes), load16(q + half + 32)));
      block = _mm_add_epi16(block, products(plane_of<2>(bytes), load16(q + half + 64)));
      block = _mm_add_epi16(block, products(plane_of<3>(bytes), load16(q + half + 96)));
      sum = _mm_add_epi32(sum, widen(block));
    }
  }
  out[0] = total(sum);
}
