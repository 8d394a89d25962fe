// A verification run over other people's libraries.
#pragma once

#include <string>

#include "harness/base/options.h"
#include "harness/base/run_report.h"

namespace tritcheck::foreign {

/// Every library of options.libs on every device that has its architecture. Throws UserError.
Report verify_libraries(const VerifyOptions& options, const Progress& progress = {});

/// One case on the functions of the libraries it fits (options.kernels names one).
Report replay_on_libraries(const std::string& case_text, const VerifyOptions& options, const Progress& progress = {});

}  // namespace tritcheck::foreign
