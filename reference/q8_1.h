// Q8_1: Q8_0 with the sum of each block beside its scale, for weights that have a minimum: the activations of Q4_1 and
// Q5_1. Never in files.
//
//   std::vector<uint8_t> row(static_cast<size_t>(q8_1::row_bytes(k)));
//   q8_1::quantize_row(q8_1::Variant::avx, x, row);  // x: k floats
//   q8_1::Block block = q8_1::unpack(std::span(row).first(q8_1::kBytes));
//
// A block: d in bytes 0, 1, s in 2, 3, then 32 codes. Source: ggml of 2026-08, ggml-common.h, ggml-quants.c and its x86
// and ARM quantisers.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "reference/blocks.h"
#include "reference/q8_0.h"

namespace tritcheck::q8_1 {

inline constexpr size_t kBlock = 32;  ///< elements
inline constexpr size_t kBytes = 36;
inline constexpr blocks::Format kFormat{"q8_1", kBlock, kBytes};

/// The three quantisers; they choose codes and d as those of Q8_0 do.
using q8_0::kVariants;
using q8_0::Variant;

/// One block as numbers: 32 codes -128..127 (no quantiser writes -128), the scale and the sum as fp16 bits, any of
/// them.
struct Block {
  std::array<int8_t, kBlock> q{};
  uint16_t d = 0;
  uint16_t s = 0;  ///< what stands for d * sum(q); kernels take it as it is
  bool operator==(const Block&) const = default;
};

/// Bytes of a row of k elements: k / 32 * 36. Throws std::invalid_argument unless k is a positive multiple of 32.
int64_t row_bytes(int64_t k);

/// Reads a block of exactly 36 bytes; every content is legal. Throws std::invalid_argument for another size.
Block unpack(std::span<const uint8_t> bytes);
/// Writes a block of exactly 36 bytes, s as it is given, right or wrong. Throws std::invalid_argument for another size.
void pack(const Block& block, std::span<uint8_t> bytes);

/// Quantises K = x.size() numbers into exactly row_bytes(K) bytes: codes and d as q8_0::quantize_row writes them, with
/// its errors, and s = fp16(sum(q) * d), the product in float32 with the d that is not yet rounded to fp16. So s is the
/// better number: it differs from fp16(d) * sum(q). It becomes infinite from 65520 on, before d does.
void quantize_row(Variant variant, std::span<const float> x, std::span<uint8_t> row);

}  // namespace tritcheck::q8_1
