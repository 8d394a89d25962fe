// The parts of the text report that only runs over libraries have.
#pragma once

#include <string>

#include "harness/report/report.h"

namespace tritcheck {

/// What was found out about the library, and what its user should know.
std::string library_heading(const TargetReport& target, const TextOptions& options);
/// A line for each function that ran.
std::string function_table(const Report& report, const std::string& target, const TextOptions& options);
/// A line for each library and target: how many of its functions passed, failed, were skipped.
std::string library_overview(const Report& report, const TextOptions& options);
/// What was skipped, those with the same reason together; of one target, or of all for an empty name.
std::string function_skips(const Report& report, const std::string& target, const TextOptions& options);

}  // namespace tritcheck
