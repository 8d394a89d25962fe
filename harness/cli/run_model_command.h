// `tritcheck run`: the options, and the run.
#pragma once

#include "harness/cli/command_line.h"

namespace CLI {
class App;
}

namespace tritcheck::cli {

/// Adds the command and its options, which go into line.run.
void add_run_model(CLI::App& root, CommandLine& line);
/// What no single option can tell. Throws UserError(kExitUsage) for options that exclude or need each other.
void check_run_model(const RunModelOptions& options);
/// Generates: the text goes to standard output as it comes, everything else to standard error. Gives the exit code.
/// Throws UserError.
int run_model_command(const CommandLine& line);

}  // namespace tritcheck::cli
