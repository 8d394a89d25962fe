// IQ1_BN, IQ2_BN and IQ2_BN_R4: ik_llama.cpp's ternary weights. A row begins with its scale, then come blocks of 64
// weights, so that the stride of rows is no multiple of the block. IQ2_BN_R4 holds four rows side by side.
//
//   iq_bn::Rows row{{0.5F}, codes};                       // codes 0 = -1, 1 = 0, 2 = +1
//   std::vector<uint8_t> bytes(iq_bn::row_bytes(iq_bn::Type::iq2_bn, codes.size()));
//   iq_bn::pack(iq_bn::Type::iq2_bn, row, bytes);
//
//                scale             block of 64 weights
//   IQ1_BN       fp16, 2 bytes     13 bytes, five weights to a byte in base 3
//   IQ2_BN       fp32, 4 bytes     16 bytes, two bits each
//   IQ2_BN_R4    4 fp32, 16 bytes  64 bytes for four rows, two bits each
//
// Source: ik_llama.cpp of 2026-08: ggml-common.h, iqk/iqk_quantize.cpp, iqk/iqk_gemm_1bit.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tritcheck::iq_bn {

enum class Type : uint8_t { iq1_bn, iq2_bn, iq2_bn_r4 };
inline constexpr Type kTypes[] = {Type::iq1_bn, Type::iq2_bn, Type::iq2_bn_r4};
inline constexpr size_t kBlock = 64;  ///< elements of a row

struct Format {
  std::string_view name;  ///< "iq1_bn"
  size_t rows = 0;        ///< packed together: 4 for iq2_bn_r4, else 1
  size_t header = 0;      ///< bytes of the scales before the blocks
  size_t block = 0;       ///< bytes of a block, of all these rows
  int largest_code = 0;   ///< 2 in base 3, else 3, which no quantiser writes and stands for +2
};
const Format& format(Type type);

/// Bytes of one row of k elements, of four for iq2_bn_r4: header + k / 64 * block. Throws std::invalid_argument unless
/// k is a positive multiple of 64.
size_t row_bytes(Type type, size_t k);
/// K of that many bytes. Throws std::invalid_argument if no K has them.
size_t k_of(Type type, size_t bytes);

/// One row as numbers, or four.
struct Rows {
  std::vector<float> scales;   ///< of each row
  std::vector<uint8_t> codes;  ///< row after row; weight = code - 1
  bool operator==(const Rows&) const = default;
};

/// Where element e of a row (0..3, 0 unless iq2_bn_r4) is, with the byte counted from the start of the header and e %
/// 64 = i:
///   iq1_bn     i % 16 < 15: trit i % 16 % 5 of byte i / 16 * 3 + i % 16 / 5 of the block; else trit i / 16 of byte 12
///   iq2_bn     bits 2 (i / 16), two of them, of byte i % 16
///   iq2_bn_r4  bits 2 (i / 4 % 4) of byte 16 (i / 16) + 4 row + i % 4
struct Position {
  size_t byte = 0;
  int field = 0;  ///< trit 0..4, or shift 0, 2, 4, 6
  bool operator==(const Position&) const = default;
};
Position position(Type type, size_t row, size_t e);

/// Trit j (0..4) of a byte of iq1_bn: the byte is ceil(256 v / 243), v = sum of 3^j t_j, and t_j = ((byte * 3^(4-j)) &
/// 255) * 3 >> 8. So the first element is the least significant, the other way round than in TQ1_0. Defined for all 256
/// values; the fifth trit of byte 12 has no element and is 0.
int trit(uint8_t byte, int j);

/// Reads exactly row_bytes(type, K) bytes, of any content. Throws std::invalid_argument if no K has that many.
Rows unpack(Type type, std::span<const uint8_t> bytes);
/// Writes exactly row_bytes bytes. Throws std::invalid_argument for another size, a code above largest_code, or, of
/// iq1_bn, a scale that is no fp16 number.
void pack(Type type, const Rows& rows, std::span<uint8_t> bytes);

}  // namespace tritcheck::iq_bn
