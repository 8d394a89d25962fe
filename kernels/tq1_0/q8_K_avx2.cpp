#include "kernels/kernel.h"
#include "kernels/simd/avx2_blocks.h"
#include "kernels/tq1_0/block.h"

namespace tritcheck::tq1_0 {
namespace {

using V = Avx2::V;

V times3(V x) {
  return _mm256_add_epi8(x, _mm256_add_epi8(x, x));
}

// Each byte times a number of its 16-bit lane, modulo 256.
V multiply_bytes(V x, V by) {
  const V low_byte = Avx2::set16(0x00FF);
  const V low = Avx2::and_(_mm256_mullo_epi16(x, by), low_byte);
  const V high = _mm256_mullo_epi16(_mm256_andnot_si256(low_byte, x), by);
  return _mm256_or_si256(low, high);
}

// The first digit of every byte, plus 1. Two rounded averages make (x + floor(x / 2) + 128) / 2 rounded down: 64..127
// up to x = 85, 192..255 from x = 171, else 128..191.
V digit_plus_1(V x) {
  const V mean = _mm256_avg_epu8(x, _mm256_avg_epu8(x, Avx2::set8(253)));
  return Avx2::and_(Avx2::shift_right_6(mean), Avx2::set8(3));
}

// int16 lanes: 8 pairs of 3 * 128, less two sums of bsums, are 6144 + 4096 at most.
V add_products(V sum, V x, const uint8_t* q) {
  return Avx2::add16(sum, Avx2::maddubs(digit_plus_1(x), Avx2::load(q)));
}

struct Core {
  static constexpr ptrdiff_t kBlockBytes = tq1_0::kBlockBytes;
  static constexpr ptrdiff_t kScale = tq1_0::kScale;

  static V sums(const uint8_t* x, const uint8_t* y) {
    const uint8_t* q = y + Q8K::kCodes;
    V sum = Avx2::zero();
    V rest = Avx2::load(x);
    for (int i = 0; i < 5; ++i) {
      sum = add_products(sum, rest, q + 32 * i);
      rest = times3(rest);
    }
    // the 16 bytes twice, the upper ones a digit ahead; then both by two digits
    const V tail = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + kTail)));
    rest = _mm256_blend_epi32(tail, times3(tail), 0xF0);
    sum = add_products(sum, rest, q + 160);
    sum = add_products(sum, times3(times3(rest)), q + 192);
    // below, their last digit; above, the last four bytes, four at a time a digit further
    int32_t last;
    std::memcpy(&last, x + kLast, sizeof last);
    const V powers = _mm256_setr_epi16(81, 81, 81, 81, 81, 81, 81, 81, 1, 1, 3, 3, 9, 9, 27, 27);
    rest = multiply_bytes(_mm256_blend_epi32(tail, _mm256_set1_epi32(last), 0xF0), powers);
    sum = add_products(sum, rest, q + 224);
    const V bsums = Avx2::load(y + Q8K::kSums);
    return _mm256_sub_epi16(sum, Avx2::add16(bsums, bsums));  // weight = digit + 1 - 2
  }
};

}  // namespace
}  // namespace tritcheck::tq1_0

TRITCHECK_VEC_DOT_OF(tq1_0_q8_K_dot_avx2, tritcheck::row_of_blocks<tritcheck::tq1_0::Core>)
