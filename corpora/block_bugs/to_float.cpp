// Rows of blocks to floats.
#include "corpora/block_bugs/loops.h"

namespace tritcheck::block_museum {
namespace {

struct Q4_0Pairs : Q4_0 {
  static int number(const uint8_t* x, int e) { return (x[2 + e / 2] >> (4 * (e % 2)) & 15) - 8; }
};
struct Q2_KSubBlocks : Q2_K {  // the two halves of each stretch of 32 change places
  static int act(int e) { return e ^ 16; }
};
struct Q4_1NoMinimum : Q4_1 {
  static float c(const uint8_t*) { return 0; }
};
struct Q5_KMinimumAdded : Q5_K {
  static float c(const uint8_t* x) { return -Q5_K::c(x); }
};
struct Q6_KEveryOther : Q6_K {  // a scale for 32 weights: every other one is used, for its neighbour too
  static int scale(const uint8_t* x, int i) { return Q6_K::scale(x, i / 2 * 2); }
};
struct Q8_0Twice : Q8_0 {  // the scale is in front of the codes and is taken for a code too
  static int number(const uint8_t* x, int e) { return static_cast<int8_t>(x[1 + e]); }
};
struct Q8_0NoScale : Q8_0 {
  static float d(const uint8_t*) { return 1; }
};

}  // namespace

FLOATS_OF(q4_0_floats_right, Q4_0)
FLOATS_OF(q4_0_floats_pairs, Q4_0Pairs)
FLOATS_OF(q2_K_floats_right, Q2_K)
FLOATS_OF(q2_K_floats_halves, Q2_KSubBlocks)
FLOATS_OF(q4_1_floats_right, Q4_1)
FLOATS_OF(q4_1_floats_no_minimum, Q4_1NoMinimum)
FLOATS_OF(q5_K_floats_right, Q5_K)
FLOATS_OF(q5_K_floats_minimum_added, Q5_KMinimumAdded)
FLOATS_OF(q6_K_floats_right, Q6_K)
FLOATS_OF(q6_K_floats_every_other_scale, Q6_KEveryOther)
FLOATS_OF(q8_0_floats_right, Q8_0)
FLOATS_OF(q8_0_floats_one_byte_early, Q8_0Twice)
FLOATS_OF(q8_0_floats_no_scale, Q8_0NoScale)
FLOATS_OF(nvfp4_floats_right, Nvfp4)
FLOATS_OF(tq1_0_floats_right, Tq1_0)

}  // namespace tritcheck::block_museum
