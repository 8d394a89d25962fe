// I2_S: ternary weights, two bits each, one fp32 scale for the whole tensor.
//
//   std::vector<uint8_t> codes(rows * k);                // 0 = -1, 1 = 0, 2 = +1, row by row
//   std::vector<uint8_t> file(i2_s::tensor_bytes(shape)); // codes, then the scale, then padding
//   i2_s::pack(i2_s::Layout::x86_128, shape, codes, file);
//   i2_s::store_scale(shape, file, 0.5F);
//
// Nothing in a file says which of the four layouts it has: all have the same length and the same scale position.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tritcheck::i2_s {

/// Where the two bits of weight (row, column) are stored. With e = row * K + column:
enum class Layout : uint8_t {
  x86_128,   ///< canonical: byte (e/128)*32 + e%32, shift 6 - 2*((e%128)/32); K % 128 == 0
  arm_64,    ///< byte (e/64)*16 + e%16, shift 6 - 2*((e%64)/16); K % 64 == 0
  rows_1x4,  ///< byte (row/4)*K + column, shift 6 - 2*(row%4); rows % 4 == 0
  linear,    ///< byte e/4, shift 6 - 2*(e%4); K % 4 == 0
};
inline constexpr Layout kLayouts[] = {Layout::x86_128, Layout::arm_64, Layout::rows_1x4, Layout::linear};

/// "x86_128", "arm_64", "rows_1x4" or "linear".
std::string_view name(Layout layout);
/// The layout of that name, or nothing.
std::optional<Layout> layout_of(std::string_view name);

/// What the never written code 3 stands for. Every dot kernel in the wild computes with the number 3 (weight +2);
/// one dequantiser in the wild reads it as weight 0.
enum class Code3 : uint8_t { arithmetic, zero };

/// K weights (ne0, the reduction length) in each of `rows` rows (ne1).
struct Shape {
  int64_t k = 0;
  int64_t rows = 0;
};

/// Smallest step of K that keeps rows from straddling packed blocks: 128, 64, 1 or 4.
int64_t k_multiple(Layout layout);
/// Rows that share bytes and must come together: 4 for rows_1x4, else 1.
int64_t row_multiple(Layout layout);
/// Why this shape cannot be stored in this layout, as a phrase ("K = 192 is not a multiple of 128"); nothing if it can.
std::optional<std::string> why_illegal(Layout layout, Shape shape);

/// Bytes of packed codes: rows * K / 4.
int64_t code_bytes(Shape shape);
/// Bytes of a tensor in a file: the codes and a 32-byte tail that begins with the fp32 scale.
int64_t tensor_bytes(Shape shape);
inline constexpr int64_t kTailBytes = 32;

/// Byte and bit position of one weight.
struct Position {
  int64_t byte = 0;
  int shift = 0;
  bool operator==(const Position&) const = default;
};
Position position(Layout layout, int64_t k, int64_t row, int64_t column);

/// Packs row-major codes (each 0..3) into code_bytes(shape) bytes; longer spans keep their tail. The shape must be
/// legal. Throws std::invalid_argument for an illegal shape or spans that are too short.
void pack(Layout layout, Shape shape, std::span<const uint8_t> codes, std::span<uint8_t> bytes);
/// The inverse of pack.
void unpack(Layout layout, Shape shape, std::span<const uint8_t> bytes, std::span<uint8_t> codes);

/// The k codes of one row.
void unpack_row(Layout layout, Shape shape, std::span<const uint8_t> bytes, int64_t row, std::span<uint8_t> codes);

/// The weight a code stands for: code - 1, but 0 for code 3 under Code3::zero.
int weight_of(int code, Code3 code3 = Code3::arithmetic);

/// The fp32 scale at byte code_bytes(shape) of a tensor.
float load_scale(Shape shape, std::span<const uint8_t> tensor);
void store_scale(Shape shape, std::span<uint8_t> tensor, float scale);

}  // namespace tritcheck::i2_s
