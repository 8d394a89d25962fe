// Metamorphic relations, for functions without an oracle (F15): what a function must answer follows from what it
// answers to simpler questions, and from what the library's own reader of the format says.
//
//   decode   one activation of 1 gives the weight of its column: that is what to_float says of the block
//   linear   a row of many blocks, with any activations and scales, gives the sum of its columns one at a time;
//   to_float
//            gives what it gives for each block alone, times its scale. Covers f(a + b) = f(a) + f(b), splitting K,
//            scaling by powers of two, -y, zeros, and two rows at a time.
//
// A weight that is wrong in the same way everywhere, a wrong grid for example, is not seen.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "harness/cases/grids.h"
#include "harness/diagnose/common/suspect.h"

namespace tritcheck {

class Relations {
 public:
  /// Keeps a reference. The suspect's worker is asked whenever the answers to the simpler questions are not known yet.
  explicit Relations(const Suspect& suspect) : suspect_(suspect) {}

  /// Throws std::invalid_argument for a case that has no problem. Where the simpler questions have no finite answers,
  /// any finite result is right: what the function does to its process and to memory still counts.
  std::shared_ptr<const Prepared> get(const Case& c);

 private:
  using Values = std::vector<double>;  // of one block with scale 1, by column; NaN where there is no finite answer
  // By the suspect itself, or by the library's to_float.
  const Values& columns(const std::vector<uint8_t>& block, bool by_reader = false);
  Values ask(const std::vector<uint8_t>& block, bool by_reader) const;
  std::vector<int8_t> codes(const Case& c, int64_t row, size_t b);
  void expect_floats(const Case& c, Expectation& out);
  void expect_dots(const Case& c, const Problem& p, Expectation& out);
  void expect_column(const Case& c, Expectation& out);

  const Suspect& suspect_;
  std::map<std::pair<std::vector<uint8_t>, bool>, Values> known_;
};

}  // namespace tritcheck
