// What the block formats of ggml share: a row is K / block blocks, one after the other, little-endian, unaligned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tritcheck::blocks {

/// One block format: its name for messages, the elements and the bytes of a block.
struct Format {
  std::string_view name;
  size_t elements = 0;
  size_t bytes = 0;
};

/// Bytes of a row of k elements. Throws std::invalid_argument if k is not a positive multiple of the block.
int64_t row_bytes(const Format& format, int64_t k);

/// Throws std::invalid_argument unless `bytes` is one block, or a row of `elements` elements, exactly. `where` is the
/// function that was called, for the message.
void require_block(const Format& format, std::string_view where, size_t bytes);
void require_row(const Format& format, std::string_view where, size_t elements, size_t bytes);

/// Blocks of a row of that many bytes. Throws std::invalid_argument if it is not a positive whole number of blocks.
size_t count(const Format& format, std::string_view where, size_t bytes);

/// Block number b of a row.
inline std::span<const uint8_t> nth(const Format& format, std::span<const uint8_t> row, size_t b) {
  return row.subspan(b * format.bytes, format.bytes);
}

/// out[e] = scale(block) * value(block, e) for each element of each block of a row; both factors are doubles. Throws as
/// require_row.
template <class Unpack, class Scale, class Value>
void dequantize_row(const Format& format, std::span<const uint8_t> row, std::span<double> out, Unpack unpack,
                    Scale scale, Value value) {
  require_row(format, "dequantize_row", out.size(), row.size());
  for (size_t b = 0; b < out.size() / format.elements; ++b) {
    const auto block = unpack(nth(format, row, b));
    const double d = scale(block);
    for (size_t e = 0; e < format.elements; ++e) out[b * format.elements + e] = d * value(block, e);
  }
}

/// Throws std::invalid_argument unless code <= largest; `element` is its place in the block.
void require_code(const Format& format, size_t element, int code, int largest);

/// Little-endian numbers at byte `at`, on any machine. The span must reach that far.
inline uint16_t load_u16(std::span<const uint8_t> bytes, size_t at) {
  return static_cast<uint16_t>(bytes[at] | bytes[at + 1] << 8);
}
inline uint32_t load_u32(std::span<const uint8_t> bytes, size_t at) {
  return load_u16(bytes, at) | uint32_t{load_u16(bytes, at + 2)} << 16;
}
inline void store_u16(std::span<uint8_t> bytes, size_t at, uint16_t value) {
  bytes[at] = static_cast<uint8_t>(value);
  bytes[at + 1] = static_cast<uint8_t>(value >> 8);
}
inline void store_u32(std::span<uint8_t> bytes, size_t at, uint32_t value) {
  store_u16(bytes, at, static_cast<uint16_t>(value));
  store_u16(bytes, at + 2, static_cast<uint16_t>(value >> 16));
}

}  // namespace tritcheck::blocks
