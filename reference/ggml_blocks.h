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
#include <span>
#include <string_view>
#include <vector>

#include "reference/ggml_traits.h"

namespace tritcheck::ggml {

/// Every content is legal, bits of digits included that no encoder writes; pack() writes what encoders do. Throws
/// std::invalid_argument for another size.
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
/// Method 2: Traits::in_order. Same result, same errors.
Block decode_in_order(Type type, std::span<const uint8_t> bytes);

}  // namespace tritcheck::ggml
