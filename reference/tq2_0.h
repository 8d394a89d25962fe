// TQ2_0: mainline ggml's ternary weights, two bits each, one fp16 scale per block of 256.
//
//   tq2_0::Block block;                              // codes 0 = -1, 1 = 0, 2 = +1; d = fp16 bits
//   std::vector<uint8_t> bytes(tq2_0::kBytes);
//   tq2_0::pack(block, bytes);
//   tq2_0::dequantize_row(bytes, values);            // values[e] = d * (code - 1), exact in double
//
// A block: codes in bytes 0..63, d in bytes 64, 65 (behind the codes, unlike most formats). Source: ggml of 2026-08,
// ggml-common.h and the row dequantiser of ggml-quants.c.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "reference/blocks.h"

namespace tritcheck::tq2_0 {

inline constexpr size_t kBlock = 256;  ///< elements
inline constexpr size_t kBytes = 66;
inline constexpr blocks::Format kFormat{"tq2_0", kBlock, kBytes};
inline constexpr int kLargestCode = 3;  ///< no quantiser writes 3, every reader takes it as +2
inline constexpr int kOffset = 1;       ///< weight = code - 1

/// One block as numbers: 256 codes 0..3 and the scale as fp16 bits, any of them.
struct Block {
  std::array<uint8_t, kBlock> codes{};
  uint16_t d = 0;
  bool operator==(const Block&) const = default;
};

/// Where the two bits of element e (0..255) are: byte (e/128)*32 + e%32, shift 2*((e%128)/32). The geometry of I2_S's
/// x86_128 with the shifts the other way round.
struct Position {
  size_t byte = 0;
  int shift = 0;
  bool operator==(const Position&) const = default;
};
Position position(size_t e);

/// Bytes of a row of k elements: k / 256 * 66. Throws std::invalid_argument unless k is a positive multiple of 256.
int64_t row_bytes(int64_t k);

/// Reads a block of exactly 66 bytes; every content is legal. Throws std::invalid_argument for another size.
Block unpack(std::span<const uint8_t> bytes);
/// Writes a block of exactly 66 bytes. Throws std::invalid_argument for another size or a code above 3.
void pack(const Block& block, std::span<uint8_t> bytes);

/// out[e] = double(d) * (code - 1), exact. out.size() is K; `row` has exactly row_bytes(K) bytes, else
/// std::invalid_argument. A NaN or infinite d gives what IEEE arithmetic gives (infinity * 0 is NaN).
void dequantize_row(std::span<const uint8_t> row, std::span<double> out);

}  // namespace tritcheck::tq2_0
