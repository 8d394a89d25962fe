// ik_llama.cpp's Q8_K: the 292 bytes of mainline's (q8_k.h) and one float more, so that a kernel of the one reads
// garbage from a block of the other. Nothing in a file or a buffer says which it is; the size of the type does.
//
//   q8_k_ik::Block block{.d = 0.5F, .sum = 0, .q = codes, .bsums = q8_k::sums_of(codes)};
//   q8_k_ik::pack(block, bytes);
//
// A block of 296 bytes: d (float32) in bytes 0..3, `sum` (float32) in 4..7, 256 codes, then 16 sums (int16) from byte
// 264. Source: ik_llama.cpp of 2026-08, ggml-common.h.
#pragma once

#include <cstdint>
#include <span>

#include "reference/blocks.h"
#include "reference/q8_k.h"

namespace tritcheck::q8_k_ik {

inline constexpr size_t kBlock = 256;  ///< elements
inline constexpr size_t kBytes = 296;
inline constexpr blocks::Format kFormat{"q8_K of ik_llama.cpp", kBlock, kBytes};

/// One block as numbers. Every content is legal; `sum` is kept as it is.
struct Block {
  float d = 0;
  float sum = 0;
  q8_k::Codes q{};
  q8_k::Sums bsums{};
  bool operator==(const Block&) const = default;
};

/// Bytes of a row of k elements: k / 256 * 296. Throws std::invalid_argument unless k is a positive multiple of 256.
int64_t row_bytes(int64_t k);

/// Reads a block of exactly 296 bytes. Throws std::invalid_argument for another size.
Block unpack(std::span<const uint8_t> bytes);
/// Writes a block of exactly 296 bytes, bsums as they are given, right or wrong. Throws std::invalid_argument for
/// another size.
void pack(const Block& block, std::span<uint8_t> bytes);

}  // namespace tritcheck::q8_k_ik
