// Formats with blocks of 256 weights against q8_K; tq2_0 has a file of its own.
#include "corpora/block_bugs/loops.h"

namespace tritcheck::block_museum {
namespace {

struct Tq1_0Ascending : Tq1_0 {  // D34: a relative of the format has its digits the other way round
  static int number(const uint8_t* x, int e) { return digit(x[byte_of(e)], (e < 240 ? 4 : 3) - digit_of(e)) - 1; }
};
struct Q2_KExchanged : Q2_K {
  static int scale(const uint8_t* x, int i) { return x[i] >> 4; }
  static int minimum(const uint8_t* x, int i) { return x[i] & 15; }
};
struct Q3_KNoOffset : Q3_K {
  static int scale(const uint8_t* x, int i) { return stored_scale(x, i); }
};
struct Q3_KHighBitInverted : Q3_K {  // a set bit subtracts, where a clear one should
  static int number(const uint8_t* x, int e) {
    return Q3_K::number(x, e) + ((x[e % 32] >> (e / 32) & 1) != 0 ? -4 : 4);
  }
};
struct Q4_KNoMinima : Q4_K {
  static float c(const uint8_t*) { return 0; }
};
struct Q4_KMinimaExchanged : Q4_K {
  static int minimum(const uint8_t* x, int i) { return Q4_K::minimum(x, i ^ 1); }
};
struct Q4_KScalesExchanged : Q4_K {
  static int scale(const uint8_t* x, int i) { return Q4_K::scale(x, i == 2 || i == 3 ? i ^ 1 : i); }
};
struct Q4_KHighBitsLost : Q4_K {
  static int scale(const uint8_t* x, int i) { return Q4_K::scale(x, i) & (i < 4 ? 63 : 15); }
};
// B038: the first halves of two neighbours are added up before either is scaled, and so are the second halves
struct Q4_KHalves : Q4_K {
  static int64_t block_sum(const uint8_t* x, const uint8_t* y, int) {
    int64_t sum = 0;
    for (int e = 0; e < 256; ++e) {
      sum += int64_t{scale(x, e / 64 * 2 + e % 32 / 16)} * number(x, e) * Q8_KActs::q(y)[e];
    }
    return sum;
  }
};
struct Q5_KFifthOfFirst : Q5_K {  // the mask is moved once for two sub-blocks
  static int number(const uint8_t* x, int e) {
    return Q5_K::number(x, e) + 16 * (fifth(x, e / 64 * 64 + e % 32) - fifth(x, e));
  }
};
struct Q6_KUnsigned : Q6_K {
  static int scale(const uint8_t* x, int i) { return x[192 + i]; }
};
struct Q6_KNoOffset : Q6_K {
  static int number(const uint8_t* x, int e) { return Q6_K::number(x, e) + 32; }
};
struct Iq4XsHighBits : Iq4Xs {  // two of the shifts that take the high bits are exchanged
  static int scale(const uint8_t* x, int i) {
    return (Iq4Xs::scale(x, i) + 32) % 16 + (Iq4Xs::scale(x, i ^ 1) + 32) / 16 * 16 - 32;
  }
};

}  // namespace

DOT_OF(tq1_0_right, Tq1_0)
DOT_OF(tq1_0_digits_ascending, Tq1_0Ascending)
DOT_OF(q2_K_right, Q2_K)
DOT_OF(q2_K_scale_for_minimum, Q2_KExchanged)
DOT_OF(q3_K_right, Q3_K)
DOT_OF(q3_K_scale_offset, Q3_KNoOffset)
DOT_OF(q3_K_high_bit_inverted, Q3_KHighBitInverted)
DOT_OF(q4_K_no_minima, Q4_KNoMinima)
DOT_OF(q4_K_minima_exchanged, Q4_KMinimaExchanged)
DOT_OF(q4_K_scales_exchanged, Q4_KScalesExchanged)
DOT_OF(q4_K_high_bits_lost, Q4_KHighBitsLost)
DOT_OF(q4_K_halves_together, Q4_KHalves)
DOT_OF(q5_K_right, Q5_K)
DOT_OF(q5_K_fifth_bit_of_first, Q5_KFifthOfFirst)
DOT_OF(q6_K_right, Q6_K)
DOT_OF(q6_K_unsigned_scales, Q6_KUnsigned)
DOT_OF(q6_K_no_offset, Q6_KNoOffset)
DOT_OF(iq4_xs_right, Iq4Xs)
DOT_OF(iq4_xs_high_bits, Iq4XsHighBits)

// ---- two rows at a time --------------------------------------------------------------------------------------------

DOT_OF(q4_K_right, Q4_K)
DOT_OF(q8_0_two_rows_right, Q8_0)

VEC_DOT(q4_K_results_exchanged) {
  vec_dot<Q4_K>(n, s, bs, vx, bx, vy, by, nrc);
  if (nrc < 2) return;
  const float kept = s[1];
  s[1] = s[bs];
  s[bs] = kept;
}
VEC_DOT(q4_K_row_stride_assumed) {
  vec_dot<Q4_K>(n, s, bs, vx, static_cast<size_t>(n / 256 * Q4_K::kBytes), vy, by, nrc);
}
VEC_DOT(q4_K_act_stride_assumed) {
  vec_dot<Q4_K>(n, s, bs, vx, bx, vy, static_cast<size_t>(n / 256 * Q8_KActs::kBytes), nrc);
}
VEC_DOT(q4_K_first_row_twice) {
  vec_dot<Q4_K>(n, s, bs, vx, 0, vy, by, nrc);
}
VEC_DOT(q4_K_out_stride_ignored) {
  vec_dot<Q4_K>(n, s, 2, vx, bx, vy, by, nrc);
}
VEC_DOT(q8_0_last_result_lost) {  // the fourth accumulator is never stored, the third twice
  vec_dot<Q8_0>(n, s, bs, vx, bx, vy, by, nrc);
  if (nrc == 2) s[bs + 1] = s[bs];
}

}  // namespace tritcheck::block_museum
