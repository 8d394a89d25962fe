// Q8_0: blocks of 32 int8 with an fp16 scale. In ggml both a weight format and the activations of 32-element formats.
//
//   std::vector<uint8_t> row(static_cast<size_t>(q8_0::row_bytes(k)));
//   q8_0::quantize_row(q8_0::Variant::avx, x, row);  // x: k floats
//   q8_0::dequantize_row(row, values);               // values[e] = d * q, exact in double
//
// A block: d in bytes 0, 1, then 32 codes. Source: ggml of 2026-08, ggml-common.h, ggml-quants.c and its x86 and ARM
// quantisers, which were run: the three differ.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "reference/blocks.h"

namespace tritcheck::q8_0 {

inline constexpr size_t kBlock = 32;  ///< elements
inline constexpr size_t kBytes = 34;
inline constexpr blocks::Format kFormat{"q8_0", kBlock, kBytes};

/// One block as numbers: 32 codes -128..127 (no quantiser writes -128) and the scale as fp16 bits, any of them.
struct Block {
  std::array<int8_t, kBlock> q{};
  uint16_t d = 0;
  bool operator==(const Block&) const = default;
};

/// The three quantisers of one library. All: amax = max |x|, d = amax / 127 in float32, stored rounded to fp16;
/// q = round(x * id) with the product in float32.
enum class Variant : uint8_t {
  ref,   ///< id = 1 / d, ties away from zero: the portable one, which also writes files
  avx,   ///< id = 127 / amax, ties to even: x86
  neon,  ///< id = 1 / d, ties to even: ARM
};
inline constexpr Variant kVariants[] = {Variant::ref, Variant::avx, Variant::neon};

/// Bytes of a row of k elements: k / 32 * 34. Throws std::invalid_argument unless k is a positive multiple of 32.
int64_t row_bytes(int64_t k);

/// Reads a block of exactly 34 bytes; every content is legal. Throws std::invalid_argument for another size.
Block unpack(std::span<const uint8_t> bytes);
/// Writes a block of exactly 34 bytes. Throws std::invalid_argument for another size.
void pack(const Block& block, std::span<uint8_t> bytes);

/// out[e] = double(d) * q, exact. out.size() is K; `row` has exactly row_bytes(K) bytes, else std::invalid_argument.
/// A NaN or infinite d gives what IEEE arithmetic gives (infinity * 0 is NaN).
void dequantize_row(std::span<const uint8_t> row, std::span<double> out);

/// Quantises K = x.size() numbers into exactly row_bytes(K) bytes, bit for bit as that variant does: q in [-127, 127].
/// A zero block gives d = 0 and q = 0; so does, for ref and neon, one with amax / 127 = 0 in float32. d is infinite
/// from amax = 127 * 65520 on, and 0 though codes are not where amax / 127 is at most 2^-25, as in ggml.
/// Throws std::invalid_argument for a wrong size, std::domain_error for NaN or infinite input and for a block so small
/// that id overflows (avx: amax <= 127 * 2^-128, about 3.7e-37; ref and neon: 0 < d <= 2^-128).
void quantize_row(Variant variant, std::span<const float> x, std::span<uint8_t> row);

/// One block before its scale is rounded to fp16: what Q8_1 has in common.
struct Unrounded {
  std::array<int8_t, kBlock> q{};
  float d = 0;
};
/// As quantize_row, of 32 finite numbers; `format` and the block's `number` are for the message.
Unrounded quantize_block(const char* format, Variant variant, std::span<const float> x, size_t number);

}  // namespace tritcheck::q8_0
