// A format of weights as data. Each has a file in reference/formats/ and a line in reference/formats/formats.inc;
// decoders, oracles, probes and diagnoses ask its traits and never which format it is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reference/blocks.h"
#include "reference/scale_codes.h"

namespace tritcheck::ggml {

enum class Type : uint8_t {
#define TRITCHECK_FORMAT(name) name,
#include "reference/formats/formats.inc"
#undef TRITCHECK_FORMAT
};
inline constexpr Type kTypes[] = {
#define TRITCHECK_FORMAT(name) Type::name,
#include "reference/formats/formats.inc"
#undef TRITCHECK_FORMAT
};

/// The formats of activations.
enum class Acts : uint8_t { q8_0, q8_1, q8_k };

/// Some bits of a byte.
struct Bits {
  size_t byte = 0;
  int shift = 0;
  int width = 0;
};
/// Where a number of one block is: its low bits and, for some, the bits above them somewhere else.
struct Place {
  Bits low;
  std::optional<Bits> high = {};
  int width() const { return low.width + (high ? high->width : 0); }
};

/// The bit fields of a block, as they are stored.
struct Fields {
  uint16_t d = 0;               ///< fp16 bits; 0 in a format without
  uint16_t c = 0;               ///< fp16 bits: m of q4_1 and q5_1, dmin of q2_K, q4_K, q5_K
  std::vector<uint8_t> codes;   ///< one for each element
  std::vector<uint8_t> scales;  ///< of sub-blocks
  std::vector<uint8_t> minima;  ///< of sub-blocks
  bool operator==(const Fields&) const = default;
};

struct Block;  // reference/ggml_blocks.h

/// Compilers may round x * (1 / d) + 8.5 once (fused, the habit for ARM) or twice (apart): both are right.
enum class Rounding : uint8_t { apart, fused };
inline constexpr Rounding kRoundings[] = {Rounding::apart, Rounding::fused};

struct Traits {
  blocks::Format format;         ///< elements and bytes of a block, and the name as ggml prints it: "q4_0", "q4_K"
  Acts acts = Acts::q8_0;        ///< what ggml multiplies it with
  std::optional<size_t> d = {};  ///< the byte where the fp16 scale is
  std::optional<size_t> c = {};  ///< the byte where a second one is
  bool c_is_added = false;  ///< to every element, as it is (m); else it is dmin, which is multiplied with the minimum
                            ///< of a sub-block and subtracted
  double (*d_of)(const Fields&) = nullptr;  ///< the scale of the block where there is no fp16 d

  /// Where element e's code is; null for digits that share all bits of their byte.
  Place (*code)(size_t e) = nullptr;
  /// Where `code` is null: the byte that element e shares, and how the codes are read and written.
  size_t (*digit_byte)(size_t e) = nullptr;
  void (*unpack_digits)(std::span<const uint8_t> bytes, Fields& out) = nullptr;
  void (*pack_digits)(const Fields& fields, std::span<uint8_t> bytes) = nullptr;
  int code_count = 0;                         ///< how many codes are legal
  int code_offset = 0;                        ///< what kernels that work with unsigned codes take off a product
  int32_t (*number)(uint8_t code) = nullptr;  ///< what a code stands for; null: the code less the offset
  int unwritten = -1;                         ///< a code that no quantiser writes, and every reader takes as a number
  int forbidden = -1;                         ///< a code that no quantiser writes, and kernels need not be right for

  const ScaleCode* scale = nullptr;  ///< of a sub-block; null in a format without
  size_t scales = 0;
  Place (*scale_place)(size_t i) = nullptr;
  size_t minima = 0;
  Place (*minimum_place)(size_t i) = nullptr;

  /// Method 2 of reading a block: byte by byte in the order they lie, as a reader of rows goes. Shares no table with
  /// what is above but those of four-bit values. The block's three vectors have their length and are all 0.
  void (*in_order)(std::span<const uint8_t> bytes, Block& out) = nullptr;
  /// What ggml's quantiser writes for one block of finite numbers; null where its rule is a search and no formula.
  /// Throws std::domain_error for a scale so small that its inverse overflows.
  void (*quantize)(std::span<const float> x, Rounding rounding, Fields& out) = nullptr;

  int32_t number_of(uint8_t stored) const { return number != nullptr ? number(stored) : int32_t{stored} - code_offset; }
  /// That code, or its neighbour if it is forbidden.
  uint8_t allowed(uint8_t stored) const { return static_cast<uint8_t>(stored == forbidden ? stored + 1 : stored); }
  /// The legal code of the largest number (or the smallest) that kernels must be right for.
  uint8_t extreme_code(bool largest) const;
  /// Bits of a sub-block's minimum.
  int minimum_bits() const { return minimum_place == nullptr ? 0 : minimum_place(0).width(); }
};

namespace formats {
#define TRITCHECK_FORMAT(name) extern const Traits name;
#include "reference/formats/formats.inc"
#undef TRITCHECK_FORMAT
}  // namespace formats

const Traits& traits(Type type);

inline const blocks::Format& format(Type type) {
  return traits(type).format;
}
inline Acts acts_of(Type type) {
  return traits(type).acts;
}

}  // namespace tritcheck::ggml
