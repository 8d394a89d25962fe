// tq2_0 x q8_K: the mistakes with which tests of ternary kernels were measured in 2026-08. Eight of the first fifteen
// pass ggml's own test, most of them with a smaller error than the right kernel.
#include "corpora/block_bugs/loops.h"

namespace tritcheck::block_museum {
namespace {

/// As the AVX2 kernel goes: registers of 32 activations, sixteen lanes of sums, and the offset taken off by q8_K's
/// sums.
struct Tq2_0 : Hooks {
  using Acts = Q8_KActs;
  static constexpr int kElements = 256, kBytes = 66;
  static float d(const uint8_t* x) { return half_at(x + 64); }
  static int field(int e) { return e % 128 / 32; }  ///< of its byte, in which element e is
  static int code(const uint8_t* x, int e) { return x[e / 128 * 32 + e % 32] >> (2 * field(e)) & 3; }
  static bool counts(int /*e*/) { return true; }
  static bool lane_counts(int /*lane*/) { return true; }
  static int offset(const uint8_t* y, int lane) { return Q8_KActs::sum(y, lane); }
  static int narrow(int sum) { return sum; }
};

template <class M>
struct Lanes : M {
  static int block_sum(const uint8_t* x, const uint8_t* y, int) {
    int lanes[16] = {};
    for (int e = 0; e < 256; ++e) {
      if (M::counts(e)) lanes[e % 32 / 2] += M::code(x, e) * Q8_KActs::q(y)[M::act(e)];
    }
    int sum = 0;
    int offset = 0;
    for (int lane = 0; lane < 16; ++lane) {
      if (!M::lane_counts(lane)) continue;
      sum = M::narrow(sum + lanes[lane]);
      offset += M::offset(y, lane);
    }
    return sum - offset;
  }
};

/// Columns of registers a and b exchange their activations.
template <int a, int b>
int exchanged(int e) {
  return e / 32 == a ? e + 32 * (b - a) : e / 32 == b ? e - 32 * (b - a) : e;
}

struct NoOffset : Tq2_0 {
  static int offset(const uint8_t*, int) { return 0; }
};
struct FirstRegisterTwice : Tq2_0 {
  static int act(int e) { return e / 32 == 1 ? e - 32 : e; }
};
struct HalfBlock : Tq2_0 {
  static bool counts(int e) { return e < 128; }
  static int offset(const uint8_t* y, int lane) { return lane < 8 ? Q8_KActs::sum(y, lane) : 0; }
};
struct NarrowMask : Tq2_0 {
  static int code(const uint8_t* x, int e) { return Tq2_0::code(x, e) & (field(e) == 2 ? 1 : 3); }
};
struct FieldDropped : Tq2_0 {
  static bool counts(int e) { return field(e) != 3; }
};
struct FieldsExchanged : Tq2_0 {
  static int code(const uint8_t* x, int e) { return Tq2_0::code(x, exchanged<0, 1>(e % 128) + e / 128 * 128); }
};
struct RegistersExchanged : Tq2_0 {
  static int act(int e) { return exchanged<3, 4>(e); }
};
struct LaneZeroed : Tq2_0 {
  static bool lane_counts(int lane) { return lane != 0; }
};
struct Doubled : Tq2_0 {
  static float result(float sum) { return 2 * sum; }
};
struct TenPercent : Tq2_0 {
  static float result(float sum) { return 1.10F * sum; }
};
struct LastOf16 : Tq2_0 {
  static int end(int blocks) { return blocks == 16 ? 15 : blocks; }
};
struct FirstBlock : Tq2_0 {
  static int first(int) { return 1; }
};
struct ScaleOfBlock0 : Tq2_0 {
  static int scale_from(int, int) { return 0; }
};
struct ActScaleOfBlock0 : Tq2_0 {
  static int act_scale_from(int, int) { return 0; }
};
struct OneSign : Tq2_0 {
  static float sign(int b) { return b == 1 ? -1.0F : 1.0F; }
};
struct HorizontalSum : Tq2_0 {
  static int narrow(int sum) { return static_cast<int16_t>(sum); }
};
struct OddLastBlock : Tq2_0 {
  static int end(int blocks) { return blocks / 2 * 2; }
};
struct NeighboursScale : Tq2_0 {
  static int scale_from(int b, int blocks) { return b > 0 && b == blocks - 1 ? b - 1 : b; }
};
struct LastBlock : Tq2_0 {
  static int end(int blocks) { return blocks - 1; }
};

}  // namespace

DOT_OF(tq2_0_right, Lanes<Tq2_0>)
DOT_OF(tq2_0_no_offset, Lanes<NoOffset>)
DOT_OF(tq2_0_register_twice, Lanes<FirstRegisterTwice>)
DOT_OF(tq2_0_half_block, Lanes<HalfBlock>)
DOT_OF(tq2_0_narrow_mask, Lanes<NarrowMask>)
DOT_OF(tq2_0_field_dropped, Lanes<FieldDropped>)
DOT_OF(tq2_0_doubled, Lanes<Doubled>)
DOT_OF(tq2_0_ten_percent, Lanes<TenPercent>)
DOT_OF(tq2_0_fields_exchanged, Lanes<FieldsExchanged>)
DOT_OF(tq2_0_last_of_16, Lanes<LastOf16>)
DOT_OF(tq2_0_first_block, Lanes<FirstBlock>)
DOT_OF(tq2_0_scale_of_block_0, Lanes<ScaleOfBlock0>)
DOT_OF(tq2_0_act_scale_of_block_0, Lanes<ActScaleOfBlock0>)
DOT_OF(tq2_0_lane_zeroed, Lanes<LaneZeroed>)
DOT_OF(tq2_0_one_sign, Lanes<OneSign>)
DOT_OF(tq2_0_registers_exchanged, Lanes<RegistersExchanged>)
DOT_OF(tq2_0_int16_sum, Lanes<HorizontalSum>)
DOT_OF(tq2_0_odd_block, Lanes<OddLastBlock>)
DOT_OF(tq2_0_neighbours_scale, Lanes<NeighboursScale>)
DOT_OF(tq2_0_last_block, Lanes<LastBlock>)

// Right up to K = 57344: no shorter row has a block of activations behind byte 65535.
VEC_DOT(tq2_0_index_of_16_bits) {
  float sum = 0;
  for (int b = 0; b < n / 256; ++b) {
    float part = 0;
    vec_dot<Lanes<Tq2_0>>(256, &part, 0, static_cast<const uint8_t*>(vx) + b * Tq2_0::kBytes, 0,
                          static_cast<const uint8_t*>(vy) + static_cast<uint16_t>(b * Q8_KActs::kBytes), 0, 1);
    sum += part;
  }
  s[0] = sum;
}

// google/XNNPACK #4190 is a relative: the next block is fetched ahead of time, behind the last one too.
VEC_DOT(tq2_0_fetch_ahead) {
  uint8_t ahead[32];
  std::memcpy(ahead, static_cast<const uint8_t*>(vx) + n / 256 * Tq2_0::kBytes, sizeof ahead);
  keep(ahead);
  vec_dot<Lanes<Tq2_0>>(n, s, bs, vx, bx, vy, by, nrc);
}

}  // namespace tritcheck::block_museum
