// The four operations, written once around a core that knows one layout and one instruction set.
//
// A core is a struct of static functions:
//   int32_t row(int64_t k, const uint8_t* w, const int8_t* q)            one weight row, one activation row
//   kActs, acts(int64_t k, const uint8_t* w, const int8_t* q, size_t q_stride, int32_t* sums)
//                                                                        one weight row, kActs activation rows
// Everything here and in the cores has internal linkage: a shared inline function could be emitted with the
// instructions of one kernel's file and then be called by a kernel that must run without them.
#pragma once

#include <cstring>

#include "kernels/kernel.h"

namespace tritcheck::i2_s {
namespace {

/// Three float roundings in this order; the integer difference is exact.
[[maybe_unused]] float scaled(int32_t raw, int32_t act_sum, float act_scale, float w_scale) {
  return static_cast<float>(int64_t{raw} - act_sum) / act_scale * w_scale;
}

/// The fp32 behind the m * k / 4 code bytes; nothing aligns it.
[[maybe_unused]] float weight_scale(int64_t k, int64_t m, const uint8_t* tensor) {
  float scale;
  std::memcpy(&scale, tensor + m * k / 4, sizeof scale);
  return scale;
}

template <class Core>
void dot(int64_t k, int32_t* out, const uint8_t* w, const int8_t* q) {
  out[0] = Core::row(k, w, q);
}

template <class Core>
void rows(int64_t k, int32_t* out, size_t out_stride, const uint8_t* w, size_t w_stride, const int8_t* q, int nrc) {
  for (int i = 0; i < nrc; ++i) {
    const auto n = static_cast<size_t>(i);
    out[n * out_stride] = Core::row(k, w + n * w_stride, q);
  }
}

template <class Core>
void acts(int64_t k, int32_t* out, size_t out_stride, const uint8_t* w, const int8_t* q, size_t q_stride, int nrc) {
  size_t i = 0;
  const auto n = static_cast<size_t>(nrc);
  for (; i + Core::kActs <= n; i += Core::kActs) {
    int32_t sums[Core::kActs];
    Core::acts(k, w, q + i * q_stride, q_stride, sums);
    for (size_t a = 0; a < Core::kActs; ++a) out[(i + a) * out_stride] = sums[a];
  }
  for (; i < n; ++i) out[i * out_stride] = Core::row(k, w, q + i * q_stride);
}

template <class Core>
void gemv(int64_t k, int64_t m, float* y, const uint8_t* tensor, const int8_t* q, float act_scale, int32_t act_sum,
          int64_t row0, int64_t nrows) {
  const float w_scale = weight_scale(k, m, tensor);
  for (int64_t i = 0; i < nrows; ++i) {
    y[i] = scaled(Core::row(k, tensor + (row0 + i) * (k / 4), q), act_sum, act_scale, w_scale);
  }
}

}  // namespace
}  // namespace tritcheck::i2_s

// The exported symbols <prefix>_<op>_<isa> of a core.
#define TRITCHECK_I2_S_DOT(symbol, Core)                                                                            \
  extern "C" void symbol(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t, int) { \
    tritcheck::i2_s::dot<Core>(k, out, w, q);                                                                       \
  }
#define TRITCHECK_I2_S_ROWS(symbol, Core)                                                               \
  extern "C" void symbol(int64_t k, int32_t* out, size_t out_stride, const uint8_t* w, size_t w_stride, \
                         const int8_t* q, size_t, int nrc) {                                            \
    tritcheck::i2_s::rows<Core>(k, out, out_stride, w, w_stride, q, nrc);                               \
  }
#define TRITCHECK_I2_S_ACTS(symbol, Core)                                                                       \
  extern "C" void symbol(int64_t k, int32_t* out, size_t out_stride, const uint8_t* w, size_t, const int8_t* q, \
                         size_t q_stride, int nrc) {                                                            \
    tritcheck::i2_s::acts<Core>(k, out, out_stride, w, q, q_stride, nrc);                                       \
  }
#define TRITCHECK_I2_S_GEMV(symbol, Core)                                                                         \
  extern "C" void symbol(int64_t k, int64_t m, float* y, const uint8_t* tensor, const int8_t* q, float act_scale, \
                         int32_t act_sum, int64_t row0, int64_t nrows) {                                          \
    tritcheck::i2_s::gemv<Core>(k, m, y, tensor, q, act_scale, act_sum, row0, nrows);                             \
  }
