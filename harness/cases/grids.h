// Formats whose weights come from a lookup grid that is not known here (IQ1_*, IQ2_*, IQ3_*): no oracle. Known are the
// size of a block and where its scale is, which is enough for metamorphic relations
// (harness/diagnose/blocks/relations.h).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/cases/case.h"
#include "reference/blocks.h"

namespace tritcheck {

/// The block of such a format by ggml's name; null for any other. All have 256 weights and are multiplied with q8_K.
const blocks::Format* grid_named(std::string_view name);

/// All of them.
std::vector<std::string> grid_names();

/// The rows of a case for such a format. Every other byte of a block is random and legal: each is an index, a sign or a
/// scale of a few bits.
class GridRows {
 public:
  /// Keeps a reference to the case. Throws std::invalid_argument unless its probe is `decode` or `linear`.
  explicit GridRows(const Case& c);

  /// Block b of row `row` with scale 1: the same bytes in every case of that seed and number i.
  std::vector<uint8_t> plain_block(int64_t row, size_t b) const;
  /// Its scale in this case, a power of two with a sign, or 0.
  float weight_scale(int64_t row, size_t b) const;
  float act_scale(int64_t row, size_t b) const;
  /// The codes of block b of row `row` of activations.
  std::vector<int8_t> codes(int64_t row, size_t b) const;

  std::vector<uint8_t> weights(int64_t row) const;
  std::vector<uint8_t> activations(int64_t row) const;

 private:
  const Case& c_;
  const blocks::Format& format_;
};

/// The range of `kind` for probe `linear`: what is special about the data.
enum class GridKind : uint8_t { moderate, extreme, scales, zero_acts, zero_scale };
inline constexpr int64_t kGridKinds = 5;

}  // namespace tritcheck
