#include "kernels/kernel.h"
#include "kernels/simd/avx2.h"
#include "kernels/tq2_0/block.h"

namespace tritcheck::tq2_0 {
namespace {

using V = Avx2::V;

// Unsigned codes times activations by maddubs. One shift serves all four planes: the codes that stand two bits too high
// count four times, in an accumulator of their own, and are divided at the end, exactly. int16 lanes, at most:
//   low    4 pairs of 3 * 128              = 3072
//   high   four times that                 = 12288
//   codes  low + high / 4 - a sum of bsums = 6144 + 2048
V block_sums(const uint8_t* x, const uint8_t* q) {
  const V mask = Avx2::set8(0x03);
  const V mask4 = Avx2::set8(0x0C);
  V low = Avx2::zero();
  V high = Avx2::zero();
  for (int half = 0; half < 2; ++half, x += 32, q += 128) {
    const V bits = Avx2::load(x);
    const V up = Avx2::shift_right_4(bits);
    low = Avx2::add16(low, Avx2::maddubs(Avx2::and_(bits, mask), Avx2::load(q)));
    high = Avx2::add16(high, Avx2::maddubs(Avx2::and_(bits, mask4), Avx2::load(q + 32)));
    low = Avx2::add16(low, Avx2::maddubs(Avx2::and_(up, mask), Avx2::load(q + 64)));
    high = Avx2::add16(high, Avx2::maddubs(Avx2::and_(up, mask4), Avx2::load(q + 96)));
  }
  return Avx2::add16(low, _mm256_srai_epi16(high, 2));
}

float row(int64_t blocks, const uint8_t* x, const uint8_t* y) {
  __m256 total = _mm256_setzero_ps();
  for (; blocks > 0; --blocks, x += kBlockBytes, y += Q8K::kBytes) {
    const V codes = block_sums(x, y + Q8K::kCodes);
    const V sums = _mm256_sub_epi16(codes, Avx2::load(y + Q8K::kSums));  // code - 1
    total = Avx2::add_scaled(total, sums, load_half(x + kScale) * load_float(y));
  }
  return Avx2::sum_float(total);
}

}  // namespace
}  // namespace tritcheck::tq2_0

TRITCHECK_VEC_DOT_OF(tq2_0_q8_K_dot_avx2, tritcheck::tq2_0::row)
