#include "corpora/bugs/bugs.h"
#include "corpora/bugs/ssse3.h"

using namespace tritcheck::museum;

namespace {

// Plane 0 times its activations: as a code 0..3, or unshifted as 64 * code, which can clamp.
template <bool kUnshifted>
__m128i top_plane(__m128i bytes, __m128i q) {
  if constexpr (!kUnshifted) return _mm_maddubs_epi16(plane_of<0>(bytes), q);
  const __m128i top = _mm_and_si128(bytes, _mm_set1_epi8(static_cast<char>(0xC0)));
  return _mm_srai_epi16(_mm_maddubs_epi16(top, q), 6);
}

template <bool kUnshifted>
int32_t dot(int64_t k, const uint8_t* w, const int8_t* q) {
  __m128i sum = _mm_setzero_si128();
  for (int64_t b = 0; b < k / 128; ++b, w += 32, q += 128) {
    for (int half = 0; half < 32; half += 16) {
      const __m128i bytes = load16(w + half);
      __m128i block = top_plane<kUnshifted>(bytes, load16(q + half));
      block = _mm_add_epi16(block, _mm_maddubs_epi16(plane_of<1>(bytes), load16(q + half + 32)));
      block = _mm_add_epi16(block, _mm_maddubs_epi16(plane_of<2>(bytes), load16(q + half + 64)));
      block = _mm_add_epi16(block, _mm_maddubs_epi16(plane_of<3>(bytes), load16(q + half + 96)));
      sum = _mm_add_epi32(sum, widen(block));
    }
  }
  return total(sum);
}

}  // namespace

// The saved shift of bug_saturation_avx2.
extern "C" void bug_saturation_ssse3(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                     int) {
  out[0] = dot<true>(k, w, q);
}

// It survives in a special path for short rows that no model of the day uses.
extern "C" void bug_saturation_short_row_ssse3(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t,
                                               const int8_t* q, size_t, int) {
  out[0] = k <= 512 ? dot<true>(k, w, q) : dot<false>(k, w, q);
}
