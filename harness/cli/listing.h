// `tritcheck list` and `tritcheck --version`.
#pragma once

#include <string>

#include "harness/cli/command_line.h"

namespace tritcheck::cli {

/// The list named by line.subject. `kernels` asks a worker on each device, so it says what really can run there.
std::string list_text(const CommandLine& line, bool colour, int width);
/// Every diagnosis with its title.
std::string diagnoses_text(int width);
/// Every kernel of the registry with its contract as a Markdown page; the same on every machine.
std::string kernels_markdown();
/// A few lines: version, compiler, flags, schema version, CPU.
std::string version_text();

}  // namespace tritcheck::cli
