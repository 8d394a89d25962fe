// Q6_K: six-bit weights in blocks of 256, an int8 scale for each 16 of them and an fp16 scale for the block. Ternary
// models keep their embeddings and output matrix in it.
//
//   q6_k::Block block;                               // codes 0..63 (value code - 32), 16 scales, d
//   std::vector<uint8_t> bytes(q6_k::kBytes);
//   q6_k::pack(block, bytes);
//   q6_k::dequantize_row(bytes, values);             // values[e] = d * scale * (code - 32), exact in double
//
// A block: low four bits of the codes in bytes 0..127, high two bits in bytes 128..191, scales in 192..207, d in 208,
// 209. Source: ggml of 2026-08, ggml-common.h and the row dequantiser of ggml-quants.c.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "reference/blocks.h"

namespace tritcheck::q6_k {

inline constexpr size_t kBlock = 256;  ///< elements
inline constexpr size_t kBytes = 210;
inline constexpr size_t kScales = 16;         ///< scales in a block
inline constexpr size_t kScaleElements = 16;  ///< codes under each
inline constexpr blocks::Format kFormat{"q6_K", kBlock, kBytes};
inline constexpr int kLargestCode = 63;
inline constexpr int kOffset = 32;  ///< value = d * scale * (code - 32)

/// One block as numbers: 256 codes 0..63, scale e/16 for element e, and the block's scale as fp16 bits, any of them.
struct Block {
  std::array<uint8_t, kBlock> codes{};
  std::array<int8_t, kScales> scales{};
  uint16_t d = 0;
  bool operator==(const Block&) const = default;
};

/// Where the bits of element e (0..255) are. With half h = e/128, field f = (e%128)/32, l = e%32: the low four bits in
/// byte 64h + 32*(f%2) + l, shift 4*(f/2); the high two in byte 128 + 32h + l, shift 2f.
struct Position {
  size_t low_byte = 0;
  int low_shift = 0;
  size_t high_byte = 0;
  int high_shift = 0;
  bool operator==(const Position&) const = default;
};
Position position(size_t e);

/// Bytes of a row of k elements: k / 256 * 210. Throws std::invalid_argument unless k is a positive multiple of 256.
int64_t row_bytes(int64_t k);

/// Reads a block of exactly 210 bytes; every content is legal. Throws std::invalid_argument for another size.
Block unpack(std::span<const uint8_t> bytes);
/// Writes a block of exactly 210 bytes. Throws std::invalid_argument for another size or a code above 63.
void pack(const Block& block, std::span<uint8_t> bytes);

/// out[e] = double(d) * scale * (code - 32), exact (11 + 7 + 6 bits). out.size() is K; `row` has exactly row_bytes(K)
/// bytes, else std::invalid_argument. A NaN or infinite d gives what IEEE arithmetic gives (infinity * 0 is NaN).
void dequantize_row(std::span<const uint8_t> row, std::span<double> out);

}  // namespace tritcheck::q6_k
