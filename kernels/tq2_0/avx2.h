// TQ2_0 in AVX2, with or without FMA.
#pragma once

#include "kernels/simd/avx2_blocks.h"
#include "kernels/tq2_0/block.h"

namespace tritcheck::tq2_0 {
namespace {

// Unsigned codes times activations by maddubs; the offset of 1 goes off with the bsums. One shift serves all four
// planes: the codes that stand two bits too high count four times, in an accumulator of their own, and are divided at
// the end, exactly. int16 lanes, at most:
//   low    4 pairs of 3 * 128, less a sum of bsums = 3072 + 2048
//   high   four times 4 such pairs                 = 12288
//   sums   low + high / 4                          = 6144 + 2048
struct Avx2Core {
  using V = Avx2::V;
  static constexpr ptrdiff_t kBlockBytes = tq2_0::kBlockBytes;
  static constexpr ptrdiff_t kScale = tq2_0::kScale;

  static V products(V codes, const uint8_t* q) { return Avx2::maddubs(codes, Avx2::load(q)); }

  static V sums(const uint8_t* x, const uint8_t* y) {
    const V mask = Avx2::set8(0x03);
    const V mask4 = Avx2::set8(0x0C);
    const uint8_t* q = y + Q8K::kCodes;
    V low = _mm256_sub_epi16(Avx2::zero(), Avx2::load(y + Q8K::kSums));
    V high = Avx2::zero();
    for (int half = 0; half < 2; ++half, x += 32, q += 128) {
      const V bits = Avx2::load(x);
      const V up = Avx2::shift_right_4(bits);
      low = Avx2::add16(low, Avx2::add16(products(Avx2::and_(bits, mask), q), products(Avx2::and_(up, mask), q + 64)));
      high = Avx2::add16(
          high, Avx2::add16(products(Avx2::and_(bits, mask4), q + 32), products(Avx2::and_(up, mask4), q + 96)));
    }
    return Avx2::add16(low, _mm256_srai_epi16(high, 2));
  }
};

}  // namespace
}  // namespace tritcheck::tq2_0
