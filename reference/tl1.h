// TL1: bitnet.cpp's ternary weights for look-up tables on ARM. Two weights make a 4-bit index, so two bits each; one
// fp32 scale for the whole tensor. The order of the bytes depends on three numbers per shape of matrix, the tiles,
// which are compiled into the kernel and not stored in a file.
//
//   tl1::Shape shape{.k = 3200, .rows = 3200, .tiles = {320, 128, 64}};
//   std::vector<uint8_t> codes(3200 * 3200);                     // 0 = -1, 1 = 0, 2 = +1, row by row
//   std::vector<uint8_t> file(tl1::tensor_bytes(shape));
//   tl1::pack(shape, codes, file);
//   tl1::store_scale(shape, file, 0.5F);
//   tl1::fill_lut(q, lut);                                       // q: one row of int8 activations
//   tl1::dot_lut(shape, file, row, lut).sum == tl1::dot_explicit(shape, file, row, q)
//
// Source: microsoft/BitNet of 2026-07: utils/codegen_tl1.py and the kernels it writes, src/ggml-bitnet-lut.cpp. A
// packer by these formulas was checked against unmodified kernels, bit for bit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tritcheck::tl1 {

/// The tile parameters: BM, BBK and bm in the generator, bm, bk and bmm in the kernel_config.ini it writes.
struct Tiles {
  int64_t rows = 0;        ///< BM: rows of a tile
  int64_t k = 0;           ///< BBK: columns of a tile, whose sums one int16 lane takes
  int64_t block_rows = 0;  ///< bm, 32 or 64: rows of a block; it is 256 / bm columns wide ("by")
  bool operator==(const Tiles&) const = default;
};

/// A matrix of `rows` (M) rows of k (K, the reduction length) weights.
struct Shape {
  int64_t k = 0;
  int64_t rows = 0;
  Tiles tiles;
};

/// Why there is no such packing, as a phrase ("K = 192 is not a multiple of BBK = 128"); nothing if there is.
std::optional<std::string> why_illegal(const Shape& shape);

/// The largest BBK with which no int16 lane overflows if |q| <= 127: one takes BBK / 2 entries of at most 254, and
/// 129 * 254 = 32766. Larger tiles can be packed, but their kernels are wrong for some data (LaneDot::int16).
inline constexpr int64_t kLargestSafeTileK = 258;

/// Bytes of packed indices, rows * K / 4; the fp32 scale follows there, little-endian.
int64_t code_bytes(const Shape& shape);
/// Bytes of a tensor in a file: the indices and 32 bytes that begin with the scale.
int64_t tensor_bytes(const Shape& shape);
inline constexpr int64_t kTailBytes = 32;

/// Where the index of a pair is: bits shift..shift+3 of a byte.
struct Position {
  int64_t byte = 0;
  int shift = 0;
  bool operator==(const Position&) const = default;
};

/// Of weights 2p and 2p + 1 of row m. With by = 256 / bm, mt = m / BM, rb = m % BM / bm, ri = m % bm, kt = p / (BBK/2),
/// pc = p % (BBK/2) / (by/2), pd = p % (BBK/2) % (by/2):
///   byte = ((((((mt * (K/BBK) + kt) * (BM/bm) + rb) * (BBK/by) + pc) * (bm/16) + ri/16) * (by/4) + pd/2) * 16 + ri %
///   16 shift 4 for even pd, 0 for odd pd
/// The shape must be legal and the pair in it.
Position position(const Shape& shape, int64_t row, int64_t pair);

/// Packs row-major codes 0..2 into the first code_bytes(shape) bytes; a pair's index is 3 c0 + c1, 0..8. Throws
/// std::invalid_argument for an illegal shape, spans that are too short, or a code above 2.
void pack(const Shape& shape, std::span<const uint8_t> codes, std::span<uint8_t> bytes);
/// The inverse of pack. Throws std::domain_error for indices 9..15, which no packer writes.
void unpack(const Shape& shape, std::span<const uint8_t> bytes, std::span<uint8_t> codes);

/// The fp32 scale of a tensor.
float load_scale(const Shape& shape, std::span<const uint8_t> tensor);
void store_scale(const Shape& shape, std::span<uint8_t> tensor, float scale);

/// Bytes of the tables of a row of K activations: 32 for each pair.
int64_t lut_bytes(int64_t k);
/// The tables: those of pair p are bytes 32p..32p+31, 16 high bytes and then 16 low bytes of int16 entries; entry
/// 3 w0 + w1 + 4 is w0 q[2p] + w1 q[2p+1]. Exact for every int8. Bytes of entries 9..15 are not written, as by the
/// kernels, which leave there what was in memory.
void fill_lut(std::span<const int8_t> q, std::span<uint8_t> lut);

/// Method 1: sum of w * q over row m, each weight taken from its position(). Throws std::invalid_argument for an
/// illegal shape, a row it does not have, or spans that are too short; std::domain_error for indices 9..15.
int64_t dot_explicit(const Shape& shape, std::span<const uint8_t> bytes, int64_t row, std::span<const int8_t> q);

struct LaneDot {
  int64_t sum = 0;    ///< exact
  int64_t int16 = 0;  ///< what kernels have that add up each tile's entries in int16: the same unless one overflowed
  bool operator==(const LaneDot&) const = default;
};

/// Method 2: walks the bytes of row m in the order they are stored in, and adds the entries its indices name. Knows the
/// activations only by their tables. Errors as dot_explicit. A kernel multiplies with scales at the end:
/// C[m] = sum / ls * ws, where q = x * ls to the nearest, ties to even, ls = 127 / max|x|, and ws is the tensor's
/// scale.
LaneDot dot_lut(const Shape& shape, std::span<const uint8_t> bytes, int64_t row, std::span<const uint8_t> lut);

/// A shape that the published generator is used with.
struct Preset {
  std::string_view model;
  Shape shape;
};
std::span<const Preset> presets();

}  // namespace tritcheck::tl1
