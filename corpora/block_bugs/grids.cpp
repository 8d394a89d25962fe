// A format with a lookup grid, for which nobody here has an oracle: fields as iq2_xxs has them, and a grid that is made
// up, since the relations that such functions are held to do not depend on it.
#include "corpora/block_bugs/loops.h"

namespace tritcheck::block_museum {
namespace {

// Per 32 weights four grid indices of 8 bits, then four words of 7 signs (the eighth makes their number even) and a
// scale of 4 bits.
struct Iq2Xxs : Hooks {
  using Acts = Q8_KActs;
  static constexpr int kElements = 256, kBytes = 66, kSub = 32;
  static float d(const uint8_t* x) { return 0.125F * half_at(x); }
  static uint32_t word(const uint8_t* x, int i) { return load<uint32_t>(x + 2 + 8 * i + 4); }
  static int signs(const uint8_t* x, int e) { return static_cast<int>(word(x, e / 32) >> (7 * (e % 32 / 8)) & 127); }
  static int magnitude(const uint8_t* x, int e) {
    constexpr int kLevels[] = {8, 25, 43};
    const int index = x[2 + 8 * (e / 32) + e % 32 / 8];
    return kLevels[(index * 73 + e % 8 * 29 + index / 16 * (e % 8)) % 3];
  }
  static int number(const uint8_t* x, int e) {
    const int s = signs(x, e);
    const int negative = e % 8 < 7 ? s >> (e % 8) & 1 : __builtin_popcount(static_cast<unsigned>(s)) & 1;
    return negative != 0 ? -magnitude(x, e) : magnitude(x, e);
  }
  static int scale(const uint8_t* x, int i) { return 2 * static_cast<int>(word(x, i) >> 28) + 1; }
};
struct EighthSign : Iq2Xxs {  // seven signs are stored; the eighth is taken for plus
  static int number(const uint8_t* x, int e) { return e % 8 < 7 ? Iq2Xxs::number(x, e) : magnitude(x, e); }
};
struct GroupsExchanged : Iq2Xxs {  // columns 0 to 7 of each 16 meet the activations of columns 8 to 15
  static int act(int e) { return e ^ 8; }
};
struct Saturates : Iq2Xxs {  // eight products at a time in a 16-bit lane that clamps
  static int block_sum(const uint8_t* x, const uint8_t* y, int) {
    int sum = 0;
    for (int g = 0; g < 32; ++g) {
      int lane = 0;
      for (int e = 8 * g; e < 8 * g + 8; ++e) lane += number(x, e) * Q8_KActs::q(y)[e];
      sum += scale(x, g / 4) * (lane > 32767 ? 32767 : lane < -32768 ? -32768 : lane);
    }
    return sum;
  }
};
struct LastOfThree : Iq2Xxs {  // four blocks at a time, and of a rest of three the last is forgotten
  static int end(int blocks) { return blocks % 4 == 3 ? blocks - 1 : blocks; }
};
struct FirstScale : Iq2Xxs {
  static int scale_from(int, int) { return 0; }
};
struct NoActScale : Iq2Xxs {
  static int act_scale_from(int, int) { return 0; }
};
struct Divided : Iq2Xxs {  // by an empty sum
  static float result(float sum) { return sum * 0.0F / 0.0F; }
};
struct MagnitudeOfScale : Iq2Xxs {  // the sign of a block's scale is dropped
  static float d(const uint8_t* x) { return std::fabs(Iq2Xxs::d(x)); }
};

// Fields about where iq3_s has them, with another grid that is made up.
struct Iq3S : Hooks {
  using Acts = Q8_KActs;
  static constexpr int kElements = 256, kBytes = 110, kSub = 32;
  static float d(const uint8_t* x) { return half_at(x); }
  static int number(const uint8_t* x, int e) {
    const int magnitude = 1 + (x[2 + e / 4] >> (e % 4)) % 15;
    return bit(x + 74, e) != 0 ? -magnitude : magnitude;
  }
  static int scale(const uint8_t* x, int i) { return 1 + 2 * (x[106 + i / 2] >> (4 * (i % 2)) & 15); }
};

}  // namespace

DOT_OF(iq3_s_right, Iq3S)
DOT_OF(iq2_xxs_right, Iq2Xxs)
FLOATS_OF(iq2_xxs_floats_right, Iq2Xxs)
DOT_OF(iq2_xxs_two_rows_right, Iq2Xxs)
DOT_OF(iq2_xxs_eighth_sign, EighthSign)
DOT_OF(iq2_xxs_groups_exchanged, GroupsExchanged)
DOT_OF(iq2_xxs_saturates, Saturates)
DOT_OF(iq2_xxs_last_of_three, LastOfThree)
DOT_OF(iq2_xxs_divided, Divided)
DOT_OF(iq2_xxs_scale_of_block_0, FirstScale)
DOT_OF(iq2_xxs_act_scale_of_block_0, NoActScale)
FLOATS_OF(iq2_xxs_floats_positive_scale, MagnitudeOfScale)

// The next block's indices and signs are fetched ahead of time, behind the last block too.
VEC_DOT(iq2_xxs_fetch_ahead) {
  uint8_t ahead[8];
  std::memcpy(ahead, static_cast<const uint8_t*>(vx) + n / 256 * Iq2Xxs::kBytes, sizeof ahead);
  keep(ahead);
  vec_dot<Iq2Xxs>(n, s, bs, vx, bx, vy, by, nrc);
}
VEC_DOT(iq3_s_zero) {
  s[0] = 0;
}
VEC_DOT(iq2_xxs_first_row_twice) {
  vec_dot<Iq2Xxs>(n, s, bs, vx, 0, vy, by, nrc);
}

}  // namespace tritcheck::block_museum
