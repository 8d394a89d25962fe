// Rows of floats to blocks of activations.
#include <algorithm>

#include "corpora/block_bugs/block.h"

namespace tritcheck::block_museum {
namespace {

template <class T>
void store(uint8_t* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

/// What quantisers to q8_0 and q8_1 do, with the hooks of their mistakes.
struct Rule {
  static float largest(const float* x) {
    float most = 0;
    for (int e = 0; e < 32; ++e) most = std::max(most, std::fabs(x[e]));
    return most;
  }
  static float round(float v) { return std::round(v); }  ///< halves away from zero
  static int counted(int q) { return q; }                ///< in the sum
  static uint16_t stored(float v) { return to_half(v); }
};

template <class M, bool kSum>
void quantise(const float* x, void* vy, int64_t k) {
  auto* y = static_cast<uint8_t*>(vy);
  constexpr int kCodes = kSum ? 4 : 2;
  for (int64_t b = 0; b < k / 32; ++b, x += 32, y += kCodes + 32) {
    const float d = M::largest(x) / 127.0F;
    const float id = d != 0 ? 1.0F / d : 0.0F;
    int sum = 0;
    for (int e = 0; e < 32; ++e) {
      const auto q = static_cast<int8_t>(static_cast<int>(M::round(x[e] * id)));
      y[kCodes + e] = static_cast<uint8_t>(q);
      sum += M::counted(q);
    }
    store(y, M::stored(d));
    if constexpr (kSum) store(y + 2, to_half(static_cast<float>(sum) * d));
  }
}

struct HalfUp : Rule {
  static float round(float v) {
    const float below = std::floor(v);
    return v - below >= 0.5F ? below + 1 : below;
  }
};
struct Truncated : Rule {
  static float round(float v) { return std::trunc(v); }
};
struct SignedLargest : Rule {  // the largest number, not the largest magnitude
  static float largest(const float* x) { return std::max(0.0F, *std::max_element(x, x + 32)); }
};
struct SumOfMagnitudes : Rule {
  static int counted(int q) { return std::abs(q); }
};
struct ScaleTruncated : Rule {  // fp16 by cutting bits off
  static uint16_t stored(float v) {
    const uint16_t h = to_half(v);
    return from_half(h) > v ? static_cast<uint16_t>(h - 1) : h;
  }
};

/// q8_K: the largest becomes -127 or 127, and d has its sign turned.
template <bool kPositive, int kSummed>
void quantise_k(const float* x, void* vy, int64_t k) {
  auto* y = static_cast<uint8_t*>(vy);
  for (int64_t b = 0; b < k / 256; ++b, x += 256, y += 292) {
    float most = 0;
    for (int e = 0; e < 256; ++e) {
      if (std::fabs(x[e]) > std::fabs(most)) most = x[e];
    }
    if (kPositive) most = std::fabs(most);
    const float scale = most != 0 ? (kPositive ? 127.0F : -127.0F) / most : 0.0F;
    store(y, most != 0 ? 1.0F / scale : 0.0F);
    int16_t sums[16] = {};
    for (int e = 0; e < 256; ++e) {
      const int q = std::min(127, static_cast<int>(std::nearbyint(scale * x[e])));
      y[4 + e] = static_cast<uint8_t>(static_cast<int8_t>(q));
      if (e % 16 < kSummed) sums[e / 16] = static_cast<int16_t>(sums[e / 16] + q);
    }
    std::memcpy(y + 260, sums, sizeof sums);
  }
}

}  // namespace

FROM_FLOAT(q8_0_quantise_right) {
  quantise<Rule, false>(x, y, k);
}
FROM_FLOAT(q8_0_quantise_half_up) {
  quantise<HalfUp, false>(x, y, k);
}
FROM_FLOAT(q8_0_quantise_truncated) {
  quantise<Truncated, false>(x, y, k);
}
FROM_FLOAT(q8_0_quantise_signed_largest) {
  quantise<SignedLargest, false>(x, y, k);
}
FROM_FLOAT(q8_0_quantise_scale_cut) {
  quantise<ScaleTruncated, false>(x, y, k);
}
FROM_FLOAT(q8_1_quantise_right) {
  quantise<Rule, true>(x, y, k);
}
FROM_FLOAT(q8_1_quantise_sum_of_magnitudes) {
  quantise<SumOfMagnitudes, true>(x, y, k);
}
FROM_FLOAT(q8_K_quantise_right) {
  quantise_k<false, 16>(x, y, k);
}
FROM_FLOAT(q8_K_quantise_positive) {
  quantise_k<true, 16>(x, y, k);
}
FROM_FLOAT(q8_K_quantise_half_sums) {
  quantise_k<false, 8>(x, y, k);
}

}  // namespace tritcheck::block_museum
