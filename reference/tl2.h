// TL2: bitnet.cpp's ternary weights for look-up tables on x86. Three weights make a 4-bit index and a sign bit, 5/3
// bits each; columns that do not fill a tile are packed by two, 2 bits each. One fp32 scale for the whole tensor. As
// with TL1, the order of the bytes depends on tiles that are compiled into the kernel and not stored in a file.
//
//   tl2::Shape shape{.k = 3200, .rows = 3200, .tiles = {320, 96}};
//   std::vector<uint8_t> file(tl2::tensor_bytes(shape));
//   tl2::pack(shape, codes, file);                               // codes: 0 = -1, 1 = 0, 2 = +1, row by row
//   tl2::store_scale(shape, file, 0.5F);
//   tl2::fill_three_lut(q.first(tl2::three_k(shape)), three);    // q: one row of int8 activations
//   tl2::fill_two_lut(q.subspan(tl2::three_k(shape)), two);
//   tl2::dot_lut(shape, file, row, three, two).sum == tl2::dot_explicit(shape, file, row, q)
//
// A tensor: index bytes of the three-part, its sign words, index bytes of the two-part, zeros up to the scale.
//
// Source: microsoft/BitNet of 2026-07: utils/codegen_tl2.py and the kernels it writes; its llama.cpp fork's size of a
// tensor. A packer by these formulas was checked against an unmodified kernel (3200 x 3200), bit for bit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tritcheck::tl2 {

/// The tile parameters: BM and BBK in the generator, bm and bk in the kernel_config.ini it writes; its bm is always 32.
struct Tiles {
  int64_t rows = 0;  ///< BM: rows of a tile, a multiple of 32
  int64_t k = 0;     ///< BBK: columns of a tile of the three-part, a multiple of 24
  bool operator==(const Tiles&) const = default;
};

/// A matrix of `rows` (M) rows of k (K, the reduction length) weights.
struct Shape {
  int64_t k = 0;
  int64_t rows = 0;
  Tiles tiles;
};

/// Why there is no such packing, as a phrase ("K = 128 is below 256: the size of the tensor goes negative"); nothing if
/// there is.
std::optional<std::string> why_illegal(const Shape& shape);

/// The largest BBK with which no int16 lane overflows if |q| <= 127: one takes BBK / 3 entries of at most 381, and
/// 86 * 381 = 32766. In the two-part a lane takes 16 entries of at most 254, always.
inline constexpr int64_t kLargestSafeTileK = 258;

/// Columns 0..three_k-1 are packed by three, K / BBK * BBK of them; the two_k = K - three_k behind them by two.
int64_t three_k(const Shape& shape);
int64_t two_k(const Shape& shape);

/// Where the regions begin: signs at three_k * M / 6, the two-part at three_k * M * 5 / 24. Its indices end at
/// code_bytes = three_k * M * 5 / 24 + two_k * M / 4.
int64_t signs_at(const Shape& shape);
int64_t two_part_at(const Shape& shape);
int64_t code_bytes(const Shape& shape);

/// Where the fp32 scale is: (K-256) * M / 3 * 5 / 8 + 256 * M / 2 * 4 / 8, in whole numbers from left to right, rounded
/// up to 32. That is what the codes would take if just 256 columns were packed by two: not less than code_bytes.
int64_t scale_at(const Shape& shape);
/// Bytes of a tensor in a file: scale_at + 32.
int64_t tensor_bytes(const Shape& shape);
inline constexpr int64_t kTailBytes = 32;

/// Where an index is: bits shift..shift+3 of a byte of the tensor.
struct Position {
  int64_t byte = 0;
  int shift = 0;
  bool operator==(const Position&) const = default;
};
/// Where the index and the sign of a triple are; the sign is bit sign_bit of a byte.
struct TriplePosition {
  Position index;
  int64_t sign_byte = 0;
  int sign_bit = 0;
  bool operator==(const TriplePosition&) const = default;
};

/// Of weights 3t, 3t + 1, 3t + 2 of row m. With mt = m / BM, rb = m % BM / 32, ri = m % 32, kt = t / (BBK/3),
/// tb = t % (BBK/3) and pos(ri) = ri with its bits 3 and 4 exchanged (rows 8..15 and 16..23 change places):
///   index byte = (((mt * (three_k/BBK) + kt) * (BM/32) + rb) * (BBK/6) + tb/2) * 32 + pos(ri)
///   shift 4 for even tb, 0 for odd tb
///   sign word (16 bits, little-endian) at signs_at +
///                (((mt * (three_k/BBK) + kt) * (BM/32) + rb) * (BBK/24) + tb/8) * 32 + 2 * (ri % 16)
///   its bit      15 - (2 * (tb % 8) + ri / 16)
/// The shape must be legal and the triple in it.
TriplePosition triple_position(const Shape& shape, int64_t row, int64_t triple);

/// Of weights three_k + 2p, three_k + 2p + 1 of row m; kt = p / 16, pb = p % 16:
///   byte = two_part_at + (((mt * (two_k/32) + kt) * (BM/32) + rb) * 8 + pb/2) * 32 + pos(ri)
///   shift 4 for even pb, 0 for odd pb
Position pair_position(const Shape& shape, int64_t row, int64_t pair);

/// Packs row-major codes 0..2 into the first scale_at(shape) bytes. With w = code - 1, a triple is v = 9 w0 + 3 w1 +
/// w2: index |v|, 0..13, sign v < 0; a pair is index 3 w0 + w1 + 4, 0..8. Throws std::invalid_argument for an illegal
/// shape, spans that are too short, or a code above 2.
void pack(const Shape& shape, std::span<const uint8_t> codes, std::span<uint8_t> bytes);
/// The inverse of pack. Throws std::domain_error for indices 14 and 15 of triples and 9..15 of pairs, which no packer
/// writes. Index 0 with a sign, which none writes either, is three zeros.
void unpack(const Shape& shape, std::span<const uint8_t> bytes, std::span<uint8_t> codes);

/// The fp32 scale of a tensor.
float load_scale(const Shape& shape, std::span<const uint8_t> tensor);
void store_scale(const Shape& shape, std::span<uint8_t> tensor, float scale);

/// The tables of activations in threes: 32 bytes for each triple, 16 low bytes and then 16 high bytes of int16 entries
/// (TL1 has the high ones first). Entry v = 9 w0 + 3 w1 + w2 is w0 q[3t] + w1 q[3t+1] + w2 q[3t+2], for v = 0..13;
/// entries 14 and 15 are 0.
void fill_three_lut(std::span<const int8_t> q, std::span<uint8_t> lut);
/// The tables of activations in twos: 32 bytes for each pair, low bytes first; the entries of TL1. Entries 9..15 are
/// not written.
void fill_two_lut(std::span<const int8_t> q, std::span<uint8_t> lut);

/// Method 1: sum of w * q over row m, each weight taken from its position. Throws std::invalid_argument for an illegal
/// shape, a row it does not have, or spans that are too short; std::domain_error as unpack.
int64_t dot_explicit(const Shape& shape, std::span<const uint8_t> bytes, int64_t row, std::span<const int8_t> q);

struct LaneDot {
  int64_t sum = 0;    ///< exact
  int64_t int16 = 0;  ///< what kernels have that add up each tile's entries in int16: the same unless one overflowed
  bool operator==(const LaneDot&) const = default;
};

/// Method 2: walks the bytes of row m in the order they are stored in, and adds the entries its indices name, each with
/// its sign applied in two's complement: (entry + s) xor s, s = 0 or -1. Knows the activations only by their tables,
/// `three` and `two`. Errors as dot_explicit. A kernel multiplies with scales at the end: C[m] = sum / ls * ws.
LaneDot dot_lut(const Shape& shape, std::span<const uint8_t> bytes, int64_t row, std::span<const uint8_t> three,
                std::span<const uint8_t> two);

/// A shape that the published generator is used with.
struct Preset {
  std::string_view model;
  Shape shape;
};
std::span<const Preset> presets();

}  // namespace tritcheck::tl2
