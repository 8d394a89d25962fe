// `tritcheck paris`: the options, and the run.
#pragma once

#include "harness/cli/command_line.h"

namespace CLI {
class App;
}

namespace tritcheck::cli {

void add_paris(CLI::App& root, CommandLine& line);
/// Runs the comparison, prints the report, and gives the exit code.
int paris_command(const CommandLine& line);

}  // namespace tritcheck::cli
