#include "kernels/kernel.h"
#include "kernels/simd/avx2_blocks.h"
#include "kernels/tq2_0/block.h"

namespace tritcheck::tq2_0 {
namespace {

// Unsigned codes times activations by maddubs; the offset of 1 goes off with the bsums. One shift serves all four
// planes: the codes that stand two bits too high count four times, in an accumulator of their own, and are divided at
// the end, exactly. int16 lanes, at most:
//   low    4 pairs of 3 * 128              = 3072
//   high   four times that                 = 12288
//   sums   low + high / 4 - a sum of bsums = 6144 + 2048
struct Core {
  using V = Avx2::V;
  static constexpr ptrdiff_t kBlockBytes = tq2_0::kBlockBytes;
  static constexpr ptrdiff_t kScale = tq2_0::kScale;

  static V sums(const uint8_t* x, const uint8_t* y) {
    const V mask = Avx2::set8(0x03);
    const V mask4 = Avx2::set8(0x0C);
    const uint8_t* q = y + Q8K::kCodes;
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
    const V codes = Avx2::add16(low, _mm256_srai_epi16(high, 2));
    return _mm256_sub_epi16(codes, Avx2::load(y + Q8K::kSums));
  }
};

}  // namespace
}  // namespace tritcheck::tq2_0

TRITCHECK_VEC_DOT_OF(tq2_0_q8_K_dot_avx2, tritcheck::row_of_blocks<tritcheck::tq2_0::Core>)
