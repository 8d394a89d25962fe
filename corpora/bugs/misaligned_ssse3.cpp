#include "corpora/bugs/bugs.h"
#include "corpora/bugs/ssse3.h"

using namespace tritcheck::museum;

namespace {

__m128i load_aligned(const int8_t* q) {
  return _mm_load_si128(reinterpret_cast<const __m128i*>(q));
}

}  // namespace

// Activations are read with aligned loads, as if every allocator gave 16 bytes of alignment and no caller an offset.
extern "C" void bug_misaligned_ssse3(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                     int) {
  __m128i sum = _mm_setzero_si128();
  for (int64_t b = 0; b < k / 128; ++b, w += 32, q += 128) {
    for (int half = 0; half < 32; half += 16) {
      const __m128i bytes = load16(w + half);
      __m128i block = _mm_maddubs_epi16(plane_of<0>(bytes), load_aligned(q + half));
      block = _mm_add_epi16(block, _mm_maddubs_epi16(plane_of<1>(bytes), load_aligned(q + half + 32)));
      block = _mm_add_epi16(block, _mm_maddubs_epi16(plane_of<2>(bytes), load_aligned(q + half + 64)));
      block = _mm_add_epi16(block, _mm_maddubs_epi16(plane_of<3>(bytes), load_aligned(q + half + 96)));
      sum = _mm_add_epi32(sum, widen(block));
    }
  }
  out[0] = total(sum);
}
