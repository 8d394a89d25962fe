// `tritcheck repack`.
#pragma once

#include "harness/cli/command_line.h"

namespace CLI {
class App;
}

namespace tritcheck::cli {

/// Adds the command and its options, which go into line.repack.
void add_repack(CLI::App& root, CommandLine& line);
/// Repacks, prints what was done and returns the exit code. Throws UserError.
int repack_command(const CommandLine& line);

}  // namespace tritcheck::cli
