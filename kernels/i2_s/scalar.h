// Portable core of the layouts in which a block of kGroup bytes holds 4 * kGroup weights in four planes of kGroup:
// plane j of byte i is weight j * kGroup + i and sits at shift 6 - 2 * j. x86_128 has groups of 32, arm_64 of 16 and
// linear of 1.
#pragma once

#include "kernels/i2_s/ops.h"

namespace tritcheck::i2_s {
namespace {

template <int kGroup>
struct Scalar {
  static int32_t row(int64_t k, const uint8_t* w, const int8_t* q) {
    int32_t sum = 0;
    acts_of<1>(k, w, q, 0, &sum);
    return sum;
  }

  static constexpr int kActs = 4;
  static void acts(int64_t k, const uint8_t* w, const int8_t* q, size_t q_stride, int32_t* sums) {
    acts_of<kActs>(k, w, q, q_stride, sums);
  }

 private:
  template <int kN>
  static void acts_of(int64_t k, const uint8_t* w, const int8_t* q, size_t q_stride, int32_t* sums) {
    int32_t sum[kN] = {};
    for (int64_t block = 0; block < k / (4 * kGroup); ++block, w += kGroup, q += 4 * kGroup) {
      for (int i = 0; i < kGroup; ++i) {
        const int codes[4] = {w[i] >> 6, w[i] >> 4 & 3, w[i] >> 2 & 3, w[i] & 3};
        for (int n = 0; n < kN; ++n) {
          const int8_t* qn = q + static_cast<size_t>(n) * q_stride + i;
          sum[n] += codes[0] * qn[0] + codes[1] * qn[kGroup] + codes[2] * qn[2 * kGroup] + codes[3] * qn[3 * kGroup];
        }
      }
    }
    for (int n = 0; n < kN; ++n) sums[n] = sum[n];
  }
};

}  // namespace
}  // namespace tritcheck::i2_s
