// The bare loops of x86, for a vector type as kernels/i2_s/maddubs.h wants one.
#pragma once

#include "harness/bench/loops/loops.h"

namespace tritcheck::bench {
namespace {

template <class Simd>
struct MaddubsLoops {
  using V = typename Simd::V;

  static int32_t multiply(int64_t bytes) {
    constexpr int kChains = 12;  // enough to hide the latency, few enough for the registers
    V chain[kChains];
    for (int i = 0; i < kChains; ++i) chain[i] = Simd::set8(i);
    V q = Simd::set8(1);
    __asm__("" : "+x"(q));  // a known q would let the compiler do without multiplying
    for (int64_t n = 0; n < bytes * 4 / Simd::kBytes; n += kChains) {
      for (V& c : chain) c = Simd::maddubs(c, q);
    }
    for (int i = 1; i < kChains; ++i) chain[0] = Simd::add16(chain[0], chain[i]);
    return Simd::sum32(chain[0]);
  }

  static int32_t unpack(const uint8_t* w, int64_t bytes) {
    V acc[4] = {Simd::zero(), Simd::zero(), Simd::zero(), Simd::zero()};
    const V q[4] = {Simd::set8(1), Simd::set8(-2), Simd::set8(3), Simd::set8(-4)};
    const V mask = Simd::set8(3);
    for (int64_t i = 0; i < bytes; i += Simd::kBytes) {
      const V bits = Simd::load(w + i);
      acc[0] = Simd::add16(acc[0], Simd::maddubs(Simd::and_(Simd::shift_right_6(bits), mask), q[0]));
      acc[1] = Simd::add16(acc[1], Simd::maddubs(Simd::and_(Simd::shift_right_4(bits), mask), q[1]));
      acc[2] = Simd::add16(acc[2], Simd::maddubs(Simd::and_(Simd::shift_right_2(bits), mask), q[2]));
      acc[3] = Simd::add16(acc[3], Simd::maddubs(Simd::and_(bits, mask), q[3]));
    }
    return Simd::sum32(Simd::add16(Simd::add16(acc[0], acc[1]), Simd::add16(acc[2], acc[3])));
  }

  static int32_t read(const uint8_t* w, int64_t bytes) {
    V acc[8];
    for (V& a : acc) a = Simd::zero();
    for (int64_t i = 0; i < bytes; i += 8 * Simd::kBytes) {
      for (int j = 0; j < 8; ++j) acc[j] = Simd::add32(acc[j], Simd::load(w + i + j * Simd::kBytes));
    }
    for (int j = 1; j < 8; ++j) acc[0] = Simd::add32(acc[0], acc[j]);
    return Simd::sum32(acc[0]);
  }
};

template <class Simd>
constexpr Loops maddubs_loops() {
  return {"maddubs", MaddubsLoops<Simd>::multiply, MaddubsLoops<Simd>::unpack, MaddubsLoops<Simd>::read};
}

}  // namespace
}  // namespace tritcheck::bench
