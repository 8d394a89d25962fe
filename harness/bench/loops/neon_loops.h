// The bare loops of ARM, for a running sum of kernels/i2_s/neon.h.
#pragma once

#include "harness/bench/loops/loops.h"
#include "kernels/i2_s/neon.h"

namespace tritcheck::bench {
namespace {

template <class Sum>
struct NeonLoops {
  static int32_t multiply(int64_t bytes) {
    constexpr int kChains = 8;
    Sum chain[kChains];
    int8x16_t codes = vdupq_n_s8(3);
    const int8x16_t q = vdupq_n_s8(5);
    for (int64_t n = 0; n < bytes * 4 / 16; n += kChains) {
      for (Sum& s : chain) s.add(codes, q);
#if defined(__aarch64__)
      __asm__ volatile("" : "+w"(codes));  // known codes would let the compiler find a closed form
#endif
    }
    return total(chain, kChains);
  }

  static int32_t unpack(const uint8_t* w, int64_t bytes) {
    Sum acc[4];
    const int8x16_t q[4] = {vdupq_n_s8(1), vdupq_n_s8(-2), vdupq_n_s8(3), vdupq_n_s8(-4)};
    for (int64_t i = 0; i < bytes; i += 16) {
      const i2_s::Planes codes = i2_s::load_planes(w + i);
      for (int p = 0; p < 4; ++p) acc[p].add(codes.plane[p], q[p]);
    }
    return total(acc, 4);
  }

  static int32_t read(const uint8_t* w, int64_t bytes) {
    uint8x16_t acc[8];
    for (uint8x16_t& a : acc) a = vdupq_n_u8(0);
    for (int64_t i = 0; i < bytes; i += 128) {
      for (int j = 0; j < 8; ++j) acc[j] = vaddq_u8(acc[j], vld1q_u8(w + i + j * 16));
    }
    for (int j = 1; j < 8; ++j) acc[0] = vaddq_u8(acc[0], acc[j]);
    return vaddvq_u8(acc[0]);
  }

 private:
  static int32_t total(Sum* sums, int n) {
    uint32_t all = 0;
    for (int i = 0; i < n; ++i) {
      sums[i].widen();
      all += static_cast<uint32_t>(sums[i].sum());
    }
    return static_cast<int32_t>(all);
  }
};

template <class Sum>
constexpr Loops neon_loops(const char* multiply_name) {
  return {multiply_name, NeonLoops<Sum>::multiply, NeonLoops<Sum>::unpack, NeonLoops<Sum>::read};
}

}  // namespace
}  // namespace tritcheck::bench
