// x86 core of x86_128 on any vector width: unsigned codes times signed activations by maddubs, which adds each pair of
// products into an int16 lane. With codes up to 3 and |q| up to 128 a pair is at most 768 in magnitude, so maddubs
// never saturates; the lanes then take only so many of them before they must be widened (written where it is done).
//
// A vector type `Simd` (kernels/simd/avx2.h, ssse3.h) supplies: V, kBytes (a divisor of 32), zero, load, set8, set16,
// and_, shift_right_2 and _4 (of 16-bit lanes), maddubs, madd (pairs of int16 to int32), add16, add32, pin (keeps a
// running sum in a register) and sum32 (all int32 lanes).
#pragma once

#include "kernels/i2_s/ops.h"

namespace tritcheck::i2_s {
namespace {

template <class Simd>
struct Maddubs {
  using V = typename Simd::V;
  static constexpr int kParts = 32 / Simd::kBytes;  // vectors in a block

  // One shift serves all four planes: codes that stand two bits too high count four times, in accumulators of their
  // own.
  //   low   planes 3 and 1, weight 1: a block adds at most 2 * 768 = 1536 to a lane
  //   high  planes 2 and 0, weight 4: a block adds at most 4 * 1536 = 6144; 5 blocks make 30720 and fit, 6 do not
  // The int32 total counts everything four times: at most 4 * 3 * 128 * 2^20 < 2^31 at K = 2^20.
  static int32_t row(int64_t k, const uint8_t* w, const int8_t* q) {
    const V one = Simd::set16(1);
    const V four = Simd::set16(4);
    V total = Simd::zero();
    for (int64_t blocks = k / 128; blocks > 0;) {
      Sums s;
      int n = kWiden;
      if (blocks >= kWiden) {  // a constant trip count, for the compiler to unroll
        for (int b = 0; b < kWiden; ++b) add_block(s, w + b * 32, q + b * 128);
      } else {
        n = static_cast<int>(blocks);
        for (int b = 0; b < n; ++b) add_block(s, w + b * 32, q + b * 128);
      }
      for (int p = 0; p < kParts; ++p) {
        total = Simd::add32(total, Simd::madd(s.low[p], four));
        total = Simd::add32(total, Simd::madd(s.high[p], one));
      }
      blocks -= n;
      w += n * 32;
      q += n * 128;
    }
    return Simd::sum32(total) / 4;
  }

  // Many activations: codes are brought down once and used kActs times, so that little but maddubs is left. All planes
  // count once: a vector adds at most 4 * 768 = 3072 to a lane of the one accumulator per activation row; 10 fit.
  static constexpr int kActs = 8;
  static void acts(int64_t k, const uint8_t* w, const int8_t* q, size_t q_stride, int32_t* sums) {
    const V one = Simd::set16(1);
    V total[kActs];
    for (V& t : total) t = Simd::zero();
    constexpr int kChunk = 10 / kParts;
    for (int64_t block = 0; block < k / 128; block += kChunk) {
      const int n = static_cast<int>(k / 128 - block < kChunk ? k / 128 - block : kChunk);
      V acc[kActs];
      for (V& a : acc) a = Simd::zero();
      for (int b = 0; b < n; ++b, w += 32, q += 128) {
        for (int p = 0; p < kParts; ++p) add_vector(acc, w + p * Simd::kBytes, q + p * Simd::kBytes, q_stride);
      }
      for (int a = 0; a < kActs; ++a) total[a] = Simd::add32(total[a], Simd::madd(acc[a], one));
    }
    for (int a = 0; a < kActs; ++a) sums[a] = Simd::sum32(total[a]);
  }

 private:
  static constexpr int kWiden = 5;

  struct Sums {
    V low[kParts];
    V high[kParts];
    Sums() {
      for (int p = 0; p < kParts; ++p) low[p] = high[p] = Simd::zero();
    }
  };

  static inline __attribute__((always_inline)) void accumulate(V& sum, V codes, const int8_t* q) {
    sum = Simd::add16(sum, Simd::maddubs(codes, Simd::load(q)));
    Simd::pin(sum);
  }

  static inline __attribute__((always_inline)) void add_block(Sums& s, const uint8_t* w, const int8_t* q) {
    const V mask = Simd::set8(0x03);
    const V mask4 = Simd::set8(0x0C);
    for (int p = 0; p < kParts; ++p) {
      const int8_t* qp = q + p * Simd::kBytes;
      const V bits = Simd::load(w + p * Simd::kBytes);
      const V up = Simd::shift_right_4(bits);
      accumulate(s.low[p], Simd::and_(bits, mask), qp + 96);
      accumulate(s.high[p], Simd::and_(bits, mask4), qp + 64);
      accumulate(s.low[p], Simd::and_(up, mask), qp + 32);
      accumulate(s.high[p], Simd::and_(up, mask4), qp);
    }
  }

  static inline __attribute__((always_inline)) void add_vector(V* acc, const uint8_t* w, const int8_t* q,
                                                               size_t q_stride) {
    const V mask = Simd::set8(0x03);
    const V bits = Simd::load(w);
    const V up = Simd::shift_right_4(bits);
    const V c3 = Simd::and_(bits, mask);
    const V c2 = Simd::and_(Simd::shift_right_2(bits), mask);
    const V c1 = Simd::and_(up, mask);
    const V c0 = Simd::and_(Simd::shift_right_2(up), mask);
    for (int a = 0; a < kActs; ++a) {
      const int8_t* qa = q + static_cast<size_t>(a) * q_stride;
      // two short chains of additions instead of one long one
      V x = Simd::maddubs(c0, Simd::load(qa));
      accumulate(x, c1, qa + 32);
      accumulate(acc[a], c2, qa + 64);
      accumulate(x, c3, qa + 96);
      acc[a] = Simd::add16(acc[a], x);
      Simd::pin(acc[a]);
    }
  }
};

}  // namespace
}  // namespace tritcheck::i2_s
