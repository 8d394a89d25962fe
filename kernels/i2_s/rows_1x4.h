// The operations of rows_1x4, where four weight rows share K bytes: byte c holds column c of all four, row r of the
// group at shift 6 - 2 * r. A core supplies
//   void group(int64_t k, const uint8_t* w, const int8_t* q, int32_t* sums)   the four rows of one group
#pragma once

#include "kernels/i2_s/ops.h"

namespace tritcheck::i2_s {
namespace {

/// Columns first .. k - 1, added to sums.
[[maybe_unused]] inline void add_columns(int64_t first, int64_t k, const uint8_t* w, const int8_t* q, int32_t* sums) {
  for (int64_t c = first; c < k; ++c) {
    for (int r = 0; r < 4; ++r) sums[r] += (w[c] >> (6 - 2 * r) & 3) * q[c];
  }
}

template <class Core>
void group_rows(int64_t k, int32_t* out, size_t out_stride, const uint8_t* w, size_t w_stride, const int8_t* q,
                int nrc) {
  for (int i = 0; i < nrc; i += 4) {
    int32_t sums[4];
    Core::group(k, w + static_cast<size_t>(i) * w_stride, q, sums);
    for (int r = 0; r < 4; ++r) out[static_cast<size_t>(i + r) * out_stride] = sums[r];
  }
}

template <class Core>
void group_gemv(int64_t k, int64_t m, float* y, const uint8_t* tensor, const int8_t* q, float act_scale,
                int32_t act_sum, int64_t row0, int64_t nrows) {
  const float w_scale = weight_scale(k, m, tensor);
  for (int64_t i = 0; i < nrows; i += 4) {
    int32_t sums[4];
    Core::group(k, tensor + (row0 + i) / 4 * k, q, sums);
    for (int r = 0; r < 4; ++r) y[i + r] = scaled(sums[r], act_sum, act_scale, w_scale);
  }
}

}  // namespace
}  // namespace tritcheck::i2_s

#define TRITCHECK_I2_S_GROUP_ROWS(symbol, Core)                                                         \
  extern "C" void symbol(int64_t k, int32_t* out, size_t out_stride, const uint8_t* w, size_t w_stride, \
                         const int8_t* q, size_t, int nrc) {                                            \
    tritcheck::i2_s::group_rows<Core>(k, out, out_stride, w, w_stride, q, nrc);                         \
  }
#define TRITCHECK_I2_S_GROUP_GEMV(symbol, Core)                                                                   \
  extern "C" void symbol(int64_t k, int64_t m, float* y, const uint8_t* tensor, const int8_t* q, float act_scale, \
                         int32_t act_sum, int64_t row0, int64_t nrows) {                                          \
    tritcheck::i2_s::group_gemv<Core>(k, m, y, tensor, q, act_scale, act_sum, row0, nrows);                       \
  }
