// tritcheck's own mutation test: every broken kernel of both museums, in one default run each, must be caught and
// named.
#pragma once

#include <string>
#include <vector>

#include "harness/base/options.h"

namespace tritcheck {

struct SelfcheckRow {
  std::string bug;
  std::string expected;             ///< the diagnosis it must get; empty for a right function, which must pass
  std::string found;                ///< what it got; empty if it passed
  std::vector<std::string> killed;  ///< families in which it failed
  int64_t first_case = 0;           ///< number of the first case that failed
  std::string skipped;              ///< why it could not run here; empty if it did
  bool right() const { return found == expected; }
};

struct Selfcheck {
  std::vector<std::string> families;
  std::vector<SelfcheckRow> rows;
  bool interrupted = false;
  double seconds = 0;
  int64_t wrong() const;  ///< bugs missed or misnamed, right functions that failed
  int64_t ran() const;
};

/// Runs the museum of kernels and the museum of functions on blocks (a plug-in beside the runner). Uses level, seed,
/// jobs and timeout of `options`. Throws UserError(kExitNoDevice) if the plug-in is not there.
Selfcheck selfcheck(const VerifyOptions& options, const Progress& progress = {});

/// The kill matrix and a summary line.
std::string selfcheck_text(const Selfcheck& result, bool colour);

}  // namespace tritcheck
