// The loops around the hooks of formats.h: what every right function of a library does, once for all formats.
#pragma once

#include <type_traits>

#include "corpora/block_bugs/formats.h"

namespace tritcheck::block_museum {

template <class M>
constexpr bool kHasMinima = requires(const uint8_t* x) {
  M::c(x);
};

/// sum(scale * number * q) over the elements of a block that meet activation block `part`.
template <class M>
int64_t products(const uint8_t* x, const int8_t* q, int part) {
  constexpr int kLength = M::Acts::kElements < M::kElements ? M::Acts::kElements : M::kElements;
  int64_t sum = 0;
  for (int e = part * kLength; e < (part + 1) * kLength; ++e) {
    sum += int64_t{M::scale(x, e / M::kSub)} * M::number(x, e) * q[M::act(e) - part * kLength];
  }
  return sum;
}

/// sum(minimum * q) of a block, by the sums that q8_K keeps.
template <class M>
int64_t minima(const uint8_t* x, const uint8_t* y) {
  int64_t sum = 0;
  for (int j = 0; j < 16; ++j) sum += int64_t{M::minimum(x, 16 * j / M::kSub)} * Q8_KActs::sum(y, j);
  return sum;
}

/// One product of a row of weights with a row of activations. M::block_sum, if there is one, stands for products().
template <class M>
float row(int n, const uint8_t* x, const uint8_t* y) {
  using A = typename M::Acts;
  constexpr int kParts = M::kElements / A::kElements;  // blocks of activations that one of weights meets
  const int blocks = n / M::kElements;
  float sum = 0;
  for (int b = M::first(blocks); b < M::end(blocks); ++b) {
    const uint8_t* block = x + b * M::kBytes;
    const uint8_t* scaled_by = x + M::scale_from(b, blocks) * M::kBytes;
    for (int part = 0; part < kParts; ++part) {
      const int a = b * kParts + part;
      const uint8_t* acts = y + a * A::kBytes;
      const float d_y = A::d(y + M::act_scale_from(a, blocks * kParts) * A::kBytes);
      if constexpr (requires { M::block_sum(block, acts, part); }) {
        sum = M::add(sum, M::sign(b) * M::d(scaled_by) * d_y * static_cast<float>(M::block_sum(block, acts, part)));
      } else {
        sum =
            M::add(sum, M::sign(b) * M::d(scaled_by) * d_y * static_cast<float>(products<M>(block, A::q(acts), part)));
      }
      if constexpr (std::is_same_v<A, Q8_1Acts>) {
        sum = M::add(sum, M::c(block) * A::s(y + M::sum_from(a, blocks) * A::kBytes));
      } else if constexpr (kHasMinima<M>) {
        sum = M::add(sum, M::c(block) * d_y * static_cast<float>(minima<M>(block, acts)));
      }
    }
  }
  return M::result(sum);
}

/// As ggml has it, one row or two. For one row the strides mean nothing.
template <class M>
void vec_dot(int n, float* s, size_t bs, const void* vx, size_t bx, const void* vy, size_t by, int nrc) {
  const auto* x = static_cast<const uint8_t*>(vx);
  const auto* y = static_cast<const uint8_t*>(vy);
  s[0] = row<M>(n, x, y);
  if (nrc < 2) return;
  s[1] = row<M>(n, x + bx, y);
  s[bs] = row<M>(n, x, y + by);
  s[bs + 1] = row<M>(n, x + bx, y + by);
}

template <class M>
void to_float(const void* vx, float* out, int64_t k) {
  const auto* x = static_cast<const uint8_t*>(vx);
  const auto blocks = static_cast<int>(k / M::kElements);
  for (int b = 0; b < blocks; ++b, x += M::kBytes) {
    for (int e = 0; e < M::kElements; ++e) {
      const int i = e / M::kSub;
      float value = M::d(x) * static_cast<float>(M::scale(x, i) * M::number(x, e));
      if constexpr (kHasMinima<M>) value += M::c(x) * static_cast<float>(M::minimum(x, i));
      out[b * M::kElements + M::act(e)] = value;
    }
  }
}

}  // namespace tritcheck::block_museum
