// A verification run: which kernels on which targets under which probes, and what came of it. The command line makes
// the options, the reports print the result; everything between is verify().
#pragma once

#include <string>

#include "harness/base/error.h"
#include "harness/base/interrupt.h"
#include "harness/base/options.h"
#include "harness/base/run_report.h"

namespace tritcheck {

/// Runs. Throws UserError.
Report verify(const VerifyOptions& options, const Progress& progress = {});

/// Runs one case on one kernel (name or empty for every kernel of its op and layout).
Report replay(const std::string& case_text, const VerifyOptions& options, const Progress& progress = {});

}  // namespace tritcheck
