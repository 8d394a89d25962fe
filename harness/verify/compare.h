// Two builds of one library: what has changed between them.
#pragma once

#include <string>

#include "harness/base/run_report.h"

namespace tritcheck {

/// For a run over two libraries, old and new: marks the failures that do not count (all of the old one's, and those of
/// the new one that the old one has too, under the same name) and says what changed in report.changes.
void compare_libraries(const std::string& old_label, const std::string& new_label, Report& report);

}  // namespace tritcheck
