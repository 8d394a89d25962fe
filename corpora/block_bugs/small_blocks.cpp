// Formats with blocks of 32 to 128 weights.
#include "corpora/block_bugs/loops.h"

namespace tritcheck::block_museum {
namespace {

// ---- four and five bits --------------------------------------------------------------------------------------------

struct Q4_0Pairs : Q4_0 {  // neighbours share a byte, as in other people's formats of four bits
  static int number(const uint8_t* x, int e) { return (x[2 + e / 2] >> (4 * (e % 2)) & 15) - 8; }
};
struct Q4_0OffsetTwice : Q4_0 {  // once in the codes, once more by the sum of the activations
  static int number(const uint8_t* x, int e) { return Q4_0::number(x, e) - 8; }
};
struct Q4_1NoMinimum : Q4_1 {
  static float c(const uint8_t*) { return 0; }
};
struct Q4_1NeighboursSum : Q4_1 {
  static int sum_from(int a, int blocks) { return a + 1 < blocks ? a + 1 : a; }
};
struct Q4_1ScaleForMinimum : Q4_1 {
  static float d(const uint8_t* x) { return Q4_1::c(x); }
  static float c(const uint8_t* x) { return Q4_1::d(x); }
};
struct Q5_0NoFifth : Q5_0 {
  static int number(const uint8_t* x, int e) { return low_nibble(x + 6, e) - 16; }
};
struct Q5_1NoFifthAbove : Q5_1 {  // the shift by 12 for the high half was lost: it shifts everything out
  static int number(const uint8_t* x, int e) { return low_nibble(x + 8, e) + (e < 16 ? 16 * bit(x + 4, e) : 0); }
};

// ---- tables --------------------------------------------------------------------------------------------------------

struct Iq4NlEntry : Iq4Nl {
  static int number(const uint8_t* x, int e) {
    const int value = Iq4Nl::number(x, e);
    return value == -49 ? -48 : value;
  }
};
struct Mxfp4Exponent : Mxfp4 {
  static float d(const uint8_t* x) { return std::ldexp(1.0F, x[0] - 127); }
};
struct Nvfp4Exchanged : Nvfp4 {
  static int scale(const uint8_t* x, int i) { return Nvfp4::scale(x, i ^ 1); }
};
struct Nvfp4Int32 : Nvfp4 {  // whole numbers throughout, in 32 bits
  static int32_t block_sum(const uint8_t* x, const uint8_t* y, int part) {
    return static_cast<int32_t>(static_cast<uint32_t>(products<Nvfp4>(x, Q8_0Acts::q(y), part)));
  }
};

// ---- one and two bits ----------------------------------------------------------------------------------------------

struct Q1_0FromTheTop : Q1_0 {
  static int number(const uint8_t* x, int e) { return Q1_0::number(x, e ^ 7); }
};
struct Q2_0Planes : Q2_0 {  // as tq2_0 has them: neighbours are in neighbouring bytes
  static int number(const uint8_t* x, int e) { return (x[2 + e % 16] >> (2 * (e / 16)) & 3) - 1; }
};
struct Q2_0OneActScale : Q2_0 {  // a block meets two of q8_0
  static int act_scale_from(int a, int) { return a / 2 * 2; }
};

// ---- q8_0 ----------------------------------------------------------------------------------------------------------

/// Activations made unsigned by adding 128, so that maddubs takes them; its sums of two are clamped to 16 bits.
struct Q8_0Clamped : Q8_0 {
  static int block_sum(const uint8_t* x, const uint8_t* y, int) {
    int sum = 0;
    for (int e = 0; e < 32; e += 2) {
      int pair = 0;
      int added = 0;
      for (int i = e; i < e + 2; ++i) {
        pair += number(x, i) * (Q8_0Acts::q(y)[i] + 128);
        added += number(x, i) * 128;
      }
      sum += (pair > 32767 ? 32767 : pair < -32768 ? -32768 : pair) - added;
    }
    return sum;
  }
};
struct Q8_0HalfSums : Q8_0 {
  static float add(float sum, float term) { return from_half(to_half(sum + term)); }
};
struct Q8_0Flushed : Q8_0 {
  static float d(const uint8_t* x) { return std::fabs(Q8_0::d(x)) < 0x1p-14F ? 0 : Q8_0::d(x); }
};
struct Q8_0NanSkipped : Q8_0 {
  static float d(const uint8_t* x) { return std::isnan(Q8_0::d(x)) ? 0 : Q8_0::d(x); }
};
struct Q8_0Largest : Q8_0 {  // > 0x7BFF was meant
  static float d(const uint8_t* x) {
    return (load<uint16_t>(x) & 0x7FFF) >= 0x7BFF ? std::copysign(INFINITY, Q8_0::d(x)) : Q8_0::d(x);
  }
};
struct Q8_0By4 : Q8_0 {
  static int end(int blocks) { return blocks / 4 * 4; }
};
struct Q8_0Sparse : Q8_0 {
  static int block_sum(const uint8_t* x, const uint8_t* y, int) {
    const int8_t* q = Q8_0Acts::q(y);
    int first = 0;
    for (int e = 0; e < 16; ++e) first |= q[e];
    return first == 0 ? 0 : static_cast<int>(products<Q8_0>(x, q, 0));
  }
};
struct Q8_0ZeroSum : Q8_0 {
  static int block_sum(const uint8_t* x, const uint8_t* y, int) {
    const int8_t* q = Q8_0Acts::q(y);
    int sum = 0;
    for (int e = 0; e < 32; ++e) sum += q[e];
    return sum == 0 ? 0 : static_cast<int>(products<Q8_0>(x, q, 0));
  }
};
struct Q8_0NoActScale : Q8_0 {
  struct Acts : Q8_0Acts {
    static float d(const uint8_t*) { return 1; }
  };
};

}  // namespace

DOT_OF(q4_0_right, Q4_0)
DOT_OF(q4_0_pairs, Q4_0Pairs)
DOT_OF(q4_0_offset_twice, Q4_0OffsetTwice)
DOT_OF(q4_1_right, Q4_1)
DOT_OF(q4_1_no_minimum, Q4_1NoMinimum)
DOT_OF(q4_1_neighbours_sum, Q4_1NeighboursSum)
DOT_OF(q4_1_scale_for_minimum, Q4_1ScaleForMinimum)
DOT_OF(q5_0_right, Q5_0)
DOT_OF(q5_0_no_fifth_bit, Q5_0NoFifth)
DOT_OF(q5_1_right, Q5_1)
DOT_OF(q5_1_no_fifth_bit_above, Q5_1NoFifthAbove)
DOT_OF(iq4_nl_right, Iq4Nl)
DOT_OF(iq4_nl_table_entry, Iq4NlEntry)
DOT_OF(mxfp4_right, Mxfp4)
DOT_OF(mxfp4_exponent, Mxfp4Exponent)
DOT_OF(nvfp4_right, Nvfp4)
DOT_OF(nvfp4_scales_exchanged, Nvfp4Exchanged)
DOT_OF(nvfp4_int32_sum, Nvfp4Int32)
DOT_OF(q1_0_right, Q1_0)
DOT_OF(q1_0_from_the_top, Q1_0FromTheTop)
DOT_OF(q2_0_right, Q2_0)
DOT_OF(q2_0_planes, Q2_0Planes)
DOT_OF(q2_0_one_act_scale, Q2_0OneActScale)
DOT_OF(q8_0_right, Q8_0)
DOT_OF(q8_0_pairs_clamped, Q8_0Clamped)
DOT_OF(q8_0_half_sums, Q8_0HalfSums)
DOT_OF(q8_0_denormals_flushed, Q8_0Flushed)
DOT_OF(q8_0_nan_skipped, Q8_0NanSkipped)
DOT_OF(q8_0_largest_is_infinite, Q8_0Largest)
DOT_OF(q8_0_unrolled_by_4, Q8_0By4)
DOT_OF(q8_0_sparse_skip, Q8_0Sparse)
DOT_OF(q8_0_zero_sum, Q8_0ZeroSum)
DOT_OF(q8_0_no_act_scale, Q8_0NoActScale)

// A number of blocks in eight bits: behind 256 of them the weights begin again, or both operands do.
VEC_DOT(q8_0_index_of_8_bits) {
  float sum = 0;
  for (int b = 0; b < n / 32; ++b) {
    sum += row<Q8_0>(32, static_cast<const uint8_t*>(vx) + static_cast<uint8_t>(b) * Q8_0::kBytes,
                     static_cast<const uint8_t*>(vy) + b * Q8_0Acts::kBytes);
  }
  s[0] = sum;
}
VEC_DOT(q8_0_both_indices_of_8_bits) {
  float sum = 0;
  for (int b = 0; b < n / 32; ++b) {
    sum += row<Q8_0>(32, static_cast<const uint8_t*>(vx) + static_cast<uint8_t>(b) * Q8_0::kBytes,
                     static_cast<const uint8_t*>(vy) + static_cast<uint8_t>(b) * Q8_0Acts::kBytes);
  }
  s[0] = sum;
}

}  // namespace tritcheck::block_museum
