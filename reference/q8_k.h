// Q8_K: the activations of mainline ggml's 256-element formats: int8 codes, a float32 scale, and the sums of 16 codes
// each, with which a kernel takes a constant offset of the weights' codes off.
//
//   std::vector<uint8_t> row(static_cast<size_t>(q8_k::row_bytes(k)));
//   q8_k::quantize_row(x, row);                      // x: k floats
//   q8_k::Block block = q8_k::unpack(std::span(row).first(q8_k::kBytes));
//
// A block of 292 bytes: d (float32) in bytes 0..3, 256 codes, then 16 sums (int16) from byte 260. ik_llama.cpp's Q8_K
// has 296 bytes, with one more float behind d: a different format, in q8_k_ik.h. Source: ggml of 2026-08, ggml-common.h
// and ggml-quants.c.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "reference/blocks.h"

namespace tritcheck::q8_k {

inline constexpr size_t kBlock = 256;  ///< elements
inline constexpr size_t kBytes = 292;
inline constexpr size_t kSums = 16;         ///< bsums in a block
inline constexpr size_t kSumElements = 16;  ///< codes in each
inline constexpr blocks::Format kFormat{"q8_K", kBlock, kBytes};

using Codes = std::array<int8_t, kBlock>;
using Sums = std::array<int16_t, kSums>;

/// One block as numbers. The quantiser writes q in [-127, 127] and bsums in [-2032, 2032]; other contents are legal.
struct Block {
  float d = 0;
  Codes q{};
  Sums bsums{};
  bool operator==(const Block&) const = default;
};

/// The sum of each 16 consecutive codes: what bsums must be.
Sums sums_of(const Codes& q);

/// Bytes of a row of k elements: k / 256 * 292. Throws std::invalid_argument unless k is a positive multiple of 256.
int64_t row_bytes(int64_t k);

/// Reads a block of exactly 292 bytes; every content is legal. Throws std::invalid_argument for another size.
Block unpack(std::span<const uint8_t> bytes);
/// Writes a block of exactly 292 bytes, bsums as they are given, right or wrong. Throws std::invalid_argument for
/// another size.
void pack(const Block& block, std::span<uint8_t> bytes);

/// out[e] = double(d) * q, exact. out.size() is K; `row` has exactly row_bytes(K) bytes, else std::invalid_argument.
void dequantize_row(std::span<const uint8_t> row, std::span<double> out);

/// Quantises K = x.size() numbers into exactly row_bytes(K) bytes, as ggml's reference does, all in float32: with `max`
/// the element of largest magnitude (the first of equals), iscale = -127 / max, q = iscale * x to the nearest, ties to
/// even, at most 127, and d = 1 / iscale. So the largest element always becomes -127, and d is negative if it was
/// positive.
/// A zero block gives d = 0, q = 0 and here bsums = 0; ggml leaves those bsums as they were in memory (without effect,
/// as d = 0), so never compare them.
/// Throws std::invalid_argument for a wrong size, std::domain_error for NaN or infinite input and for a block so small
/// that iscale overflows (|max| <= 127 * 2^-128, about 3.7e-37).
void quantize_row(std::span<const float> x, std::span<uint8_t> row);

}  // namespace tritcheck::q8_k
