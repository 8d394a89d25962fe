// Inside the diagnosis of blocks: the linear map with all scales 1 and random codes, pass after pass.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/diagnose/blocks/steps.h"

namespace tritcheck::block_steps {

/// What one activation was multiplied with, in every pass.
using Column = std::vector<double>;

struct CodeMap {
  std::vector<std::vector<int>> codes;  ///< [column][pass]
  std::vector<Column> right;
  std::vector<Column> seen;
  std::vector<int64_t> wrong;  ///< columns that differ

  size_t passes() const { return right.front().size(); }
  bool everywhere() const { return wrong.size() == seen.size(); }
};

/// Enough passes that two columns are never alike by chance; nothing if a call did not return.
std::optional<CodeMap> measure(const Lens& lens);
/// With that many passes.
std::optional<CodeMap> measure(const Lens& lens, size_t passes);

/// "columns 0..31, 64..95".
std::string columns(const std::vector<int64_t>& which);

// ---- causes, each named only if it reproduces every answer
// ------------------------------------------------------------

/// Every wrong column is another one's, or a constant that is nobody's.
Found moved(const Lens& lens, const CodeMap& map);
/// Some activations meet two weights, others none.
Found doubled(const Lens& lens, const CodeMap& map);
/// Single bits of the codes are taken from elsewhere. Measures again, with more passes.
Found bits_moved(const Lens& lens);

/// What a column holds that no code reaches: nothing, or the offset that is subtracted all the same.
bool silent(const Lens& lens, const Column& column);

}  // namespace tritcheck::block_steps
