// Matrices and activations for the tests of TL1 and TL2, which have the same functions for shapes of their own.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "tests/block_bytes.h"

namespace tritcheck {

using Acts = std::vector<int8_t>;

template <class Shape>
Bytes random_codes(const Shape& shape, Prng& rng) {
  Bytes codes(static_cast<size_t>(shape.k * shape.rows));
  for (auto& c : codes) c = static_cast<uint8_t>(rng.below(3));
  return codes;
}

inline Acts random_acts(int64_t k, Prng& rng) {
  Acts q(static_cast<size_t>(k));
  for (auto& one : q) one = static_cast<int8_t>(rng.between(-128, 127));
  return q;
}

/// A tensor without its scale, over bytes that were not zero.
template <class Shape>
Bytes packed_codes(const Shape& shape, const Bytes& codes) {
  Bytes bytes(static_cast<size_t>(tensor_bytes(shape)), 0xEE);
  pack(shape, codes, bytes);
  return bytes;
}

inline int64_t plain_sum(const Bytes& codes, const Acts& q, int64_t row) {
  int64_t sum = 0;
  for (size_t i = 0; i < q.size(); ++i) sum += (codes[static_cast<size_t>(row) * q.size() + i] - 1) * q[i];
  return sum;
}

template <class Function>
std::string refusal(Function function) {
  try {
    function();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing was refused";
}

}  // namespace tritcheck
