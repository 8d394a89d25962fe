// Bytes of block formats, for their tests.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/prng.h"

namespace tritcheck {

using Bytes = std::vector<uint8_t>;

inline Bytes random_bytes(Prng& rng, size_t n) {
  Bytes bytes(n);
  for (auto& b : bytes) b = static_cast<uint8_t>(rng.below(256));
  return bytes;
}

/// The block as its format packs it, over bytes that were not zero.
template <class Block>
Bytes packed(const Block& block, size_t bytes) {
  Bytes out(bytes, 0xEE);
  pack(block, out);
  return out;
}

}  // namespace tritcheck
