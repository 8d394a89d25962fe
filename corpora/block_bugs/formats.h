// The formats of weights as hooks: what a block's bits mean. A mistake is a structure that inherits from one of these
// and replaces a hook or two; the loops in loops.h take either.
//
// A weight is d * scale(i) * number(e) + c * minimum(i), element e in sub-block i = e / kSub.
#pragma once

#include "corpora/block_bugs/block.h"

namespace tritcheck::block_museum {

/// What the loops ask, and the right answers that do not depend on the format.
struct Hooks {
  static int first(int /*blocks*/) { return 0; }                   ///< block to begin with
  static int end(int blocks) { return blocks; }                    ///< and the one behind the last
  static int scale_from(int b, int /*blocks*/) { return b; }       ///< the block whose d block b gets
  static int act_scale_from(int a, int /*blocks*/) { return a; }   ///< likewise of activations
  static int sum_from(int a, int /*blocks*/) { return a; }         ///< q8_1: likewise its s
  static int act(int e) { return e; }                              ///< the activation of a block that element e meets
  static float sign(int /*b*/) { return 1; }                       ///< of what block b adds
  static float add(float sum, float term) { return sum + term; }   ///< to the accumulator
  static float result(float sum) { return sum; }                   ///< from the accumulator
  static int scale(const uint8_t* /*x*/, int /*i*/) { return 1; }  ///< of sub-block i
  static int minimum(const uint8_t* /*x*/, int /*i*/) { return 1; }
};

inline int low_nibble(const uint8_t* qs, int e) {
  return (e < 16 ? qs[e] : qs[e - 16] >> 4) & 15;
}
inline int bit(const uint8_t* bytes, int e) {
  return bytes[e / 8] >> (e % 8) & 1;
}

// ---- blocks of 32 and 64 -------------------------------------------------------------------------------------------

struct Q4_0 : Hooks {
  using Acts = Q8_0Acts;
  static constexpr int kElements = 32, kBytes = 18, kSub = 32;
  static float d(const uint8_t* x) { return half_at(x); }
  static int number(const uint8_t* x, int e) { return low_nibble(x + 2, e) - 8; }
};
struct Q4_1 : Hooks {
  using Acts = Q8_1Acts;
  static constexpr int kElements = 32, kBytes = 20, kSub = 32;
  static float d(const uint8_t* x) { return half_at(x); }
  static float c(const uint8_t* x) { return half_at(x + 2); }
  static int number(const uint8_t* x, int e) { return low_nibble(x + 4, e); }
};
struct Q5_0 : Hooks {
  using Acts = Q8_0Acts;
  static constexpr int kElements = 32, kBytes = 22, kSub = 32;
  static float d(const uint8_t* x) { return half_at(x); }
  static int number(const uint8_t* x, int e) { return low_nibble(x + 6, e) + 16 * bit(x + 2, e) - 16; }
};
struct Q5_1 : Hooks {
  using Acts = Q8_1Acts;
  static constexpr int kElements = 32, kBytes = 24, kSub = 32;
  static float d(const uint8_t* x) { return half_at(x); }
  static float c(const uint8_t* x) { return half_at(x + 2); }
  static int number(const uint8_t* x, int e) { return low_nibble(x + 8, e) + 16 * bit(x + 4, e); }
};
struct Q8_0 : Hooks {
  using Acts = Q8_0Acts;
  static constexpr int kElements = 32, kBytes = 34, kSub = 32;
  static float d(const uint8_t* x) { return half_at(x); }
  static int number(const uint8_t* x, int e) { return static_cast<int8_t>(x[2 + e]); }
};
constexpr int kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
struct Iq4Nl : Hooks {
  using Acts = Q8_0Acts;
  static constexpr int kElements = 32, kBytes = 18, kSub = 32;
  static float d(const uint8_t* x) { return half_at(x); }
  static int number(const uint8_t* x, int e) { return kIq4Values[low_nibble(x + 2, e)]; }
};
constexpr int kE2m1Values[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
struct Mxfp4 : Hooks {
  using Acts = Q8_0Acts;
  static constexpr int kElements = 32, kBytes = 17, kSub = 32;
  static float d(const uint8_t* x) { return std::ldexp(1.0F, x[0] - 128); }
  static int number(const uint8_t* x, int e) { return kE2m1Values[low_nibble(x + 1, e)]; }
};
struct Nvfp4 : Hooks {
  using Acts = Q8_0Acts;
  static constexpr int kElements = 64, kBytes = 36, kSub = 16;
  static float d(const uint8_t*) { return 0x1p-10F; }
  static int number(const uint8_t* x, int e) {
    const int byte = x[4 + e / 16 * 8 + e % 8];
    return kE2m1Values[(e % 16 < 8 ? byte : byte >> 4) & 15];
  }
  /// A ue4m3 number, times 2^9.
  static int scale(const uint8_t* x, int i) {
    const int exponent = x[i] >> 3 & 15;
    const int fraction = x[i] & 7;
    if ((x[i] & 0x7F) == 0x7F) return 0;
    return exponent == 0 ? fraction : (8 + fraction) << (exponent - 1);
  }
};
struct Q1_0 : Hooks {
  using Acts = Q8_0Acts;
  static constexpr int kElements = 128, kBytes = 18, kSub = 128;
  static float d(const uint8_t* x) { return half_at(x); }
  static int number(const uint8_t* x, int e) { return bit(x + 2, e) != 0 ? 1 : -1; }
};
struct Q2_0 : Hooks {
  using Acts = Q8_0Acts;
  static constexpr int kElements = 64, kBytes = 18, kSub = 64;
  static float d(const uint8_t* x) { return half_at(x); }
  static int number(const uint8_t* x, int e) { return (x[2 + e / 4] >> (2 * (e % 4)) & 3) - 1; }
};

// ---- blocks of 256 -------------------------------------------------------------------------------------------------

struct Tq1_0 : Hooks {
  using Acts = Q8_KActs;
  static constexpr int kElements = 256, kBytes = 54, kSub = 256;
  static float d(const uint8_t* x) { return half_at(x + 52); }
  /// Digit i of a byte, the most significant first.
  static int digit(uint8_t byte, int i) {
    for (; i > 0; --i) byte = static_cast<uint8_t>(3 * byte);
    return 3 * byte >> 8;
  }
  /// Which byte element e is in, and which digit of it.
  static int byte_of(int e) { return e < 160 ? e % 32 : e < 240 ? 32 + e % 16 : 48 + e % 4; }
  static int digit_of(int e) { return e < 160 ? e / 32 : e < 240 ? (e - 160) / 16 : (e - 240) / 4; }
  static int number(const uint8_t* x, int e) { return digit(x[byte_of(e)], digit_of(e)) - 1; }
};
struct Q2_K : Hooks {
  using Acts = Q8_KActs;
  static constexpr int kElements = 256, kBytes = 84, kSub = 16;
  static float d(const uint8_t* x) { return half_at(x + 80); }
  static float c(const uint8_t* x) { return -half_at(x + 82); }
  static int number(const uint8_t* x, int e) { return x[16 + e / 128 * 32 + e % 32] >> (2 * (e % 128 / 32)) & 3; }
  static int scale(const uint8_t* x, int i) { return x[i] & 15; }
  static int minimum(const uint8_t* x, int i) { return x[i] >> 4; }
};
struct Q3_K : Hooks {
  using Acts = Q8_KActs;
  static constexpr int kElements = 256, kBytes = 110, kSub = 16;
  static float d(const uint8_t* x) { return half_at(x + 108); }
  static int number(const uint8_t* x, int e) {
    const int low = x[32 + e / 128 * 32 + e % 32] >> (2 * (e % 128 / 32)) & 3;
    return low - ((x[e % 32] >> (e / 32) & 1) != 0 ? 0 : 4);
  }
  static int stored_scale(const uint8_t* x, int i) {
    const uint8_t* s = x + 96;
    const int low = (i < 8 ? s[i] : s[i - 8] >> 4) & 15;
    return low + 16 * (s[8 + i % 4] >> (2 * (i / 4)) & 3);
  }
  static int scale(const uint8_t* x, int i) { return stored_scale(x, i) - 32; }
};
/// The eight scales and minima of six bits that q4_K and q5_K have.
struct SixBits : Hooks {
  using Acts = Q8_KActs;
  static constexpr int kElements = 256, kSub = 32;
  static float d(const uint8_t* x) { return half_at(x); }
  static float c(const uint8_t* x) { return -half_at(x + 2); }
  static int scale(const uint8_t* x, int i) {
    const uint8_t* s = x + 4;
    return i < 4 ? s[i] & 63 : (s[i + 4] & 15) + 16 * (s[i - 4] >> 6);
  }
  static int minimum(const uint8_t* x, int i) {
    const uint8_t* s = x + 4;
    return i < 4 ? s[i + 4] & 63 : (s[i + 4] >> 4) + 16 * (s[i] >> 6);
  }
};
struct Q4_K : SixBits {
  static constexpr int kBytes = 144;
  static int number(const uint8_t* x, int e) {
    const int byte = x[16 + e / 64 * 32 + e % 32];
    return (e % 64 < 32 ? byte : byte >> 4) & 15;
  }
};
struct Q5_K : SixBits {
  static constexpr int kBytes = 176;
  static int fifth(const uint8_t* x, int e) { return x[16 + e % 32] >> (e / 32) & 1; }
  static int number(const uint8_t* x, int e) {
    const int byte = x[48 + e / 64 * 32 + e % 32];
    return ((e % 64 < 32 ? byte : byte >> 4) & 15) + 16 * fifth(x, e);
  }
};
struct Q6_K : Hooks {
  using Acts = Q8_KActs;
  static constexpr int kElements = 256, kBytes = 210, kSub = 16;
  static float d(const uint8_t* x) { return half_at(x + 208); }
  static int number(const uint8_t* x, int e) {
    const int l = e % 32, field = e % 128 / 32, half = e / 128;
    const int byte = x[64 * half + 32 * (field % 2) + l];
    return ((field < 2 ? byte : byte >> 4) & 15) + 16 * (x[128 + 32 * half + l] >> (2 * field) & 3) - 32;
  }
  static int scale(const uint8_t* x, int i) { return static_cast<int8_t>(x[192 + i]); }
};
struct Iq4Xs : Hooks {
  using Acts = Q8_KActs;
  static constexpr int kElements = 256, kBytes = 136, kSub = 32;
  static float d(const uint8_t* x) { return half_at(x); }
  static int number(const uint8_t* x, int e) { return kIq4Values[low_nibble(x + 8 + e / 32 * 16, e % 32)]; }
  static int scale(const uint8_t* x, int i) {
    const int low = x[4 + i / 2] >> (4 * (i % 2)) & 15;
    return low + 16 * (load<uint16_t>(x + 2) >> (2 * i) & 3) - 32;
  }
};

}  // namespace tritcheck::block_museum
