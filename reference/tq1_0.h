// TQ1_0: mainline ggml's ternary weights, five to a byte in base 3, one fp16 scale per block of 256.
//
//   tq1_0::Block block;                              // codes 0 = -1, 1 = 0, 2 = +1; d = fp16 bits
//   std::vector<uint8_t> bytes(tq1_0::kBytes);
//   tq1_0::pack(block, bytes);
//   tq1_0::dequantize_row(bytes, values);            // values[e] = d * (code - 1), exact in double
//
// A byte holds the fraction v / 243, v = 81 t0 + 27 t1 + 9 t2 + 3 t3 + t4, in 256ths rounded up: byte = ceil(256 v /
// 243). So a decoder multiplies by 3 and takes what overflows, trit by trit. A block: 48 bytes of five trits, 4 bytes
// of four (their fifth trit is 0), d in bytes 52, 53. Source: ggml of 2026-08, ggml-common.h and ggml-quants.c.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "reference/blocks.h"

namespace tritcheck::tq1_0 {

inline constexpr size_t kBlock = 256;  ///< elements
inline constexpr size_t kBytes = 54;
inline constexpr blocks::Format kFormat{"tq1_0", kBlock, kBytes};
inline constexpr int kLargestCode = 2;
inline constexpr int kOffset = 1;  ///< weight = code - 1

/// One block as numbers: 256 codes 0..2 and the scale as fp16 bits, any of them.
struct Block {
  std::array<uint8_t, kBlock> codes{};
  uint16_t d = 0;
  bool operator==(const Block&) const = default;
};

/// Trit i (0 = most significant .. 4) of a byte, 0..2: (((byte * 3^i) & 255) * 3) >> 8. Defined for all 256 values.
int trit(uint8_t byte, int i);

/// False for the 13 values no encoder writes: 1, 20, 40, 60, 79, 99, 119, 138, 158, 178, 197, 217, 237. Each decodes
/// like the value before it, which is canonical.
bool is_canonical(uint8_t byte);

/// Which trit of which byte element e (0..255) is:
///   0..159    trit e/32 of byte e%32
///   160..239  trit (e-160)/16 of byte 32 + (e-160)%16
///   240..255  trit (e-240)/4 of byte 48 + (e-240)%4
struct Position {
  size_t byte = 0;
  int trit = 0;
  bool operator==(const Position&) const = default;
};
Position position(size_t e);

/// Bytes of a row of k elements: k / 256 * 54. Throws std::invalid_argument unless k is a positive multiple of 256.
int64_t row_bytes(int64_t k);

/// Reads a block of exactly 54 bytes; every content is legal, canonical or not. Throws std::invalid_argument for
/// another size.
Block unpack(std::span<const uint8_t> bytes);
/// Writes a block of exactly 54 bytes, all codes canonical. Throws std::invalid_argument for another size or a code
/// above 2.
void pack(const Block& block, std::span<uint8_t> bytes);

/// out[e] = double(d) * (code - 1), exact. out.size() is K; `row` has exactly row_bytes(K) bytes, else
/// std::invalid_argument. A NaN or infinite d gives what IEEE arithmetic gives (infinity * 0 is NaN).
void dequantize_row(std::span<const uint8_t> row, std::span<double> out);

}  // namespace tritcheck::tq1_0
