// `tritcheck verify` and `tritcheck replay`.
#pragma once

#include "harness/cli/command_line.h"

namespace tritcheck::cli {

/// Runs, prints the report and returns the exit code. Throws UserError.
int run_command(const CommandLine& line);

}  // namespace tritcheck::cli
