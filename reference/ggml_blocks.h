// The blocks of mainline ggml's weight formats as exact numbers: value(e) = d * weight(e) + c * minimum(e), whole
// numbers but for the two scales. (Q8_0, Q6_K, TQ1_0 and TQ2_0 have files of their own as well, with quantisers and
// what else is special to them.)
//
//   ggml::Fields f = ggml::unpack(ggml::Type::q4_k, bytes);     // the bit fields of one block; pack() is the inverse
//   ggml::Block block = ggml::decode(ggml::Type::q4_k, bytes);  // what they stand for
//   double v = block.value(17);
//
// Source: ggml of 2026-08, ggml-common.h and the row dequantisers of ggml-quants.c.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "reference/blocks.h"

namespace tritcheck::ggml {

enum class Type : uint8_t {
  q4_0,
  q4_1,
  q5_0,
  q5_1,
  q2_k,
  q3_k,
  q4_k,
  q5_k,
  iq4_nl,
  iq4_xs,
  mxfp4,
  nvfp4,
  q1_0,
  q2_0,
  q8_0,
  q6_k,
  tq1_0,
  tq2_0
};
inline constexpr Type kTypes[] = {Type::q4_0, Type::q4_1, Type::q5_0,   Type::q5_1,   Type::q2_k,  Type::q3_k,
                                  Type::q4_k, Type::q5_k, Type::iq4_nl, Type::iq4_xs, Type::mxfp4, Type::nvfp4,
                                  Type::q1_0, Type::q2_0, Type::q8_0,   Type::q6_k,   Type::tq1_0, Type::tq2_0};

/// Elements and bytes of a block, and the name as ggml prints it: "q4_0", "q4_K", "iq4_nl".
const blocks::Format& format(Type type);

/// Some bits of a byte.
struct Bits {
  size_t byte = 0;
  int shift = 0;
  int width = 0;
};
/// Where a number of one block is: its low bits and, for some, the bits above them somewhere else.
struct Place {
  Bits low;
  std::optional<Bits> high;
};
/// Of element e's code; of sub-block i's scale and minimum. Throws std::logic_error where the format has none, and for
/// the codes of tq1_0, which are digits in base 3 and share all bits of their byte.
Place code_place(Type type, size_t e);
Place scale_place(Type type, size_t i);
Place minimum_place(Type type, size_t i);
/// How many scales and minima a block has beside d and c; 0 for many.
size_t scales(Type type);
size_t minima(Type type);
/// How many codes are legal: all that fit the bits, and the three of tq1_0.
int code_count(Type type);
/// What is taken off a code to get the number it stands for; 0 for codes that are that number (q8_0's are the bits of
/// an int8), that are looked up in a table, and for q1_0, where the number is twice the code less 1.
int code_offset(Type type);

/// The bit fields of a block, as they are stored.
struct Fields {
  uint16_t d = 0;               ///< fp16 bits; mxfp4 and nvfp4 have none
  uint16_t c = 0;               ///< fp16 bits: m of q4_1 and q5_1, dmin of q2_K, q4_K, q5_K
  std::vector<uint8_t> codes;   ///< one for each element, 1 to 6 bits; q8_0 8
  std::vector<uint8_t> scales;  ///< q2_K 4 bits, q3_K, q4_K, q5_K, iq4_xs 6, mxfp4, nvfp4 and q6_K (an int8) 8
  std::vector<uint8_t> minima;  ///< q2_K 4 bits, q4_K, q5_K 6
  bool operator==(const Fields&) const = default;
};
/// Every content is legal: all bits of all these formats are fields, but for tq1_0, of whose bytes 13 are read like
/// another one; pack() writes the other one. Throws std::invalid_argument for another size.
Fields unpack(Type type, std::span<const uint8_t> bytes);
/// Throws std::invalid_argument for a wrong size of anything, or a field that does not fit its bits.
void pack(Type type, const Fields& fields, std::span<uint8_t> bytes);

/// What a block stands for.
struct Block {
  double d = 0;                  ///< every scale of these formats is exact in float32, and so here
  double c = 0;                  ///< +m, or -dmin
  std::vector<int32_t> weight;   ///< whole: the sub-block's scale times the code less its offset
  std::vector<int32_t> offset;   ///< the sub-block's scale times the offset: weight + offset is what a kernel sees that
                                 ///< works with unsigned codes (of q1_0: 0 and 2); 0 where it has nothing to take off
  std::vector<int32_t> minimum;  ///< whole, 0 where the format has none
  /// Exact: at most 53 bits. NaN and infinite scales give what IEEE arithmetic gives.
  double value(size_t e) const { return minimum[e] == 0 ? d * weight[e] : d * weight[e] + c * minimum[e]; }
  bool operator==(const Block&) const = default;
};
/// Method 1: field by field, from the places. nvfp4's scales above 0x7F are undefined: std::domain_error.
Block decode(Type type, std::span<const uint8_t> bytes);
/// Method 2: byte by byte in the order they lie, as a reader of rows goes; shares no table with method 1 but the two of
/// four-bit values. Same result, same errors.
Block decode_in_order(Type type, std::span<const uint8_t> bytes);

}  // namespace tritcheck::ggml
