// How the scale of a sub-block is stored: what its bits stand for, and which of its values are worth trying. Formats
// share these; one with a way of its own has it in its file.
#pragma once

#include <cstdint>
#include <span>

namespace tritcheck::ggml {

struct ScaleCode {
  int bits = 0;
  int offset = 0;          ///< taken off what is stored
  bool is_signed = false;  ///< an int8
  bool floating = false;   ///< a number with an exponent, which need not be legal
  /// The whole number that multiplies the codes (ggml::Traits::d_of has the rest). Throws std::domain_error for a
  /// stored value that stands for nothing.
  int32_t (*number)(uint8_t stored) = nullptr;

  uint8_t one = 1;   ///< stands for 1, or the nearest there is
  uint8_t low = 0;   ///< smallest as a number, of those that
  uint8_t high = 0;  ///< and largest, keep sums exact
  struct Range {
    uint8_t from = 0, to = 0;
  };
  Range near_one;  ///< what sums may be made of that are to be exact
  Range common;    ///< what may be drawn where they need not be
  Range marks;     ///< by which sub-blocks can be told apart
  /// A stored value like that one that is legal and moderate.
  uint8_t (*tamed)(uint8_t stored) = [](uint8_t stored) { return stored; };

  std::span<const uint8_t> edges = {};     ///< of a floating one: the first is ordinary, the others at its limits
  std::span<const uint8_t> specials = {};  ///< of a floating one: twelve that are special in some way
  int denormal_below = 0;                  ///< stored values below it are denormal, or are 0
  int not_a_number = -1;                   ///< the stored value that counts as 0 because it stands for no number
};

extern const ScaleCode kU4;          ///< 0..15
extern const ScaleCode kU6;          ///< 0..63
extern const ScaleCode kU6Offset32;  ///< -32..31
extern const ScaleCode kI8;          ///< -128..127
extern const ScaleCode kE8m0;        ///< mxfp4: 2^(stored - 128), the half of what E8M0 says; the block's only scale
extern const ScaleCode kUe4m3;       ///< nvfp4: unsigned E4M3 in steps of 2^-10, halved; 0x7F counts as 0

}  // namespace tritcheck::ggml
