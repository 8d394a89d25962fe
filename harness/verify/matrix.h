// The kill matrix: which probe family catches which museum kernel, whether the default run names it, and what would
// survive if a family were removed. It is the harness's own mutation test.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/base/options.h"

namespace tritcheck {

struct MatrixRow {
  std::string bug;
  std::string expected;             ///< the diagnosis it must get
  std::string found;                ///< what the full run called it; empty if it was not caught
  std::string first_case;           ///< the smallest failing case of the full run
  std::set<std::string> killed_by;  ///< families that catch it alone (all but F11 without the memory protocol)
  std::set<std::string> needs;      ///< families without which the rest of the run misses it
  std::string skipped;              ///< why it could not run here; empty if it did
};

struct Matrix {
  std::vector<std::string> families;
  std::vector<MatrixRow> rows;
  bool interrupted = false;

  /// Bugs that ran and were not caught and rightly named.
  std::vector<std::string> missed() const;
  /// Families whose removal lets no bug survive: they prove nothing that others do not.
  std::vector<std::string> idle_families() const;
};

/// Runs the museum once in full, once per family, and once more without each family for the bugs that may need it.
/// Uses seed, jobs, timeout and the first device of `options`.
Matrix kill_matrix(const VerifyOptions& options, const Progress& progress = {});

/// A table for people, with a summary line at its end.
std::string matrix_text(const Matrix& matrix);

}  // namespace tritcheck
