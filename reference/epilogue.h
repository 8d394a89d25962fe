// From the raw integer dot product to the number a model sees: y = (R - S) / act_scale * w_scale, where R = sum(code *
// q) and S = sum(q). Everything is exact until the last steps, so the error of each float order can be bounded.
#pragma once

#include <cstdint>

namespace tritcheck::i2_s {

/// y in float64: C = R - S is exact, then one multiplication and one division; relative error at most 2^-52.
double scaled_golden(int64_t raw, int64_t act_sum, float act_scale, float w_scale);

/// The float32 orders seen in the wild.
enum class Epilogue : uint8_t {
  integer_div_mul,  ///< float(R - S) / s * w: the difference in integers first. Ours.
  float_div_mul,    ///< (float(R) - float(S)) / s * w: bitnet.cpp until 2026-07
  float_mul_ratio,  ///< (float(R) - float(S)) * (w / s): bitnet.cpp since then
};

/// y computed in exactly that order, each step rounded to float32.
float scaled(Epilogue epilogue, int64_t raw, int64_t act_sum, float act_scale, float w_scale);

/// How far scaled() may be from the exact y, as an absolute number. With u = 2^-24 and no overflow or underflow:
///
///   integer_div_mul  one conversion, one division, one multiplication: |y| * ((1 + u)^3 - 1)
///   float_*          converting R and S costs |R| u and |S| u once they exceed 2^24 (below it is exact), the
///                    subtraction, and two more operations one rounding each:
///                    ((|R| + |S|) [each only above 2^24] u |w / s| + |y|) (1 + u)^3 - |y|
///
/// A result below the smallest normal float adds half a denormal step per operation; that is included.
double scaled_bound(Epilogue epilogue, int64_t raw, int64_t act_sum, float act_scale, float w_scale);

/// What the smallest unit a kernel can lose is worth: one weight times one activation step, |w / s|. A float
/// comparison proves something only where scaled_bound() stays below it.
double smallest_unit(float act_scale, float w_scale);

}  // namespace tritcheck::i2_s
