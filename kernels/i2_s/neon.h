// NEON building blocks: unpacking, and a row by either of the running sums (kernels/simd/neon_sum.h, dotprod_sum.h).
// Codes are 0..3 and may therefore be multiplied as signed bytes.
#pragma once

#include "kernels/i2_s/ops.h"
#include "kernels/simd/neon_sum.h"

namespace tritcheck::i2_s {
namespace {

using tritcheck::MullSum;

/// The four planes of 16 packed bytes; plane 0 is in the two highest bits.
struct Planes {
  int8x16_t plane[4];
};

[[maybe_unused]] inline Planes load_planes(const uint8_t* w) {
  const uint8x16_t bits = vld1q_u8(w);
  const uint8x16_t mask = vdupq_n_u8(3);
  return {{vreinterpretq_s8_u8(vshrq_n_u8(bits, 6)), vreinterpretq_s8_u8(vandq_u8(vshrq_n_u8(bits, 4), mask)),
           vreinterpretq_s8_u8(vandq_u8(vshrq_n_u8(bits, 2), mask)), vreinterpretq_s8_u8(vandq_u8(bits, mask))}};
}

/// Layouts in which a block of kGroup bytes holds 4 * kGroup weights in four planes of kGroup: x86_128 (32), arm_64
/// (16).
template <class Sum, int kGroup>
struct Neon {
  static int32_t row(int64_t k, const uint8_t* w, const int8_t* q) {
    int32_t sum;
    acts_of<1, 2>(k, w, q, 0, &sum);
    return sum;
  }

  static constexpr int kActs = 4;
  static void acts(int64_t k, const uint8_t* w, const int8_t* q, size_t q_stride, int32_t* sums) {
    acts_of<kActs, 1>(k, w, q, q_stride, sums);
  }

 private:
  // A Sum takes 4 / kChains adds per 16 bytes of weights.
  template <int kN, int kChains>
  static void acts_of(int64_t k, const uint8_t* w, const int8_t* q, size_t q_stride, int32_t* sums) {
    constexpr int kVectors = kGroup / 16;
    constexpr int kChunk = Sum::kAdds / (kVectors * 4 / kChains);
    Sum sum[kN][kChains];
    for (int64_t blocks = k / (4 * kGroup); blocks > 0;) {
      const int n = static_cast<int>(blocks < kChunk ? blocks : kChunk);
      for (int b = 0; b < n; ++b, w += kGroup, q += 4 * kGroup) {
        for (int v = 0; v < kVectors; ++v) {
          const Planes codes = load_planes(w + v * 16);
          for (int a = 0; a < kN; ++a) {
            const int8_t* qa = q + static_cast<size_t>(a) * q_stride + v * 16;
            for (int p = 0; p < 4; ++p) sum[a][p % kChains].add(codes.plane[p], vld1q_s8(qa + p * kGroup));
          }
        }
      }
      for (auto& row : sum) {
        for (Sum& s : row) s.widen();
      }
      blocks -= n;
    }
    for (int a = 0; a < kN; ++a) {
      sums[a] = 0;
      for (const Sum& s : sum[a]) sums[a] += s.sum();
    }
  }
};

}  // namespace
}  // namespace tritcheck::i2_s
