// `tritcheck verify`, `tritcheck replay` and `tritcheck matrix`.
#pragma once

#include "harness/cli/command_line.h"

namespace tritcheck::cli {

/// Runs, prints the report and returns the exit code. Throws UserError.
int run_command(const CommandLine& line);

/// Runs the museum family by family, prints the kill matrix and returns kExitWrong if a bug was missed or misnamed or a
/// family is not needed. Throws UserError.
int matrix_command(const CommandLine& line);
/// Runs both museums, prints what caught what, and returns kExitWrong if a bug was missed or misnamed or a right
/// function failed.
int selfcheck_command(const CommandLine& line);

/// Prints what is in a file, and which layout it has if that was asked.
int inspect_command(const CommandLine& line);

}  // namespace tritcheck::cli
