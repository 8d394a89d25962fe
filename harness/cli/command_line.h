// What the user typed, checked: every name in it exists and every number is in range.
#pragma once

#include <string>
#include <vector>

#include "harness/base/options.h"
#include "harness/cli/run_model_options.h"
#include "harness/models/repack.h"
#include "harness/paris/paris.h"

namespace tritcheck::cli {

enum class Command : uint8_t {
  help,
  version,
  verify,
  replay,
  list,
  explain,
  inspect,
  matrix,
  selfcheck,
  repack,
  paris,
  run
};
enum class Format : uint8_t { text, json, junit, upstream };
enum class Colour : uint8_t { automatic, always, never };

struct CommandLine {
  Command command = Command::help;
  std::string help;       ///< the text asked for, for Command::help
  VerifyOptions options;  ///< verify, replay, matrix; list uses the devices
  Format format = Format::text;
  std::string output;  ///< file for the report; empty: standard output
  Colour colour = Colour::automatic;
  std::string subject;             ///< the case (replay), name (explain; may be empty), file (inspect) or kind (list)
  bool markdown = false;           ///< list
  bool verbose = false;            ///< inspect
  bool which_layout = false;       ///< inspect: score the four readings of the I2_S weights
  std::vector<std::string> texts;  ///< inspect: with these sentences
  RepackOptions repack;            ///< repack
  ParisOptions paris;              ///< paris
  RunModelOptions run;             ///< run
};

/// Reads the arguments. args[0] is the program's name: called as "verify", the program is `tritcheck verify`.
/// Throws UserError(kExitUsage) with one line that says what to do.
CommandLine parse_command_line(std::vector<std::string> args);

}  // namespace tritcheck::cli
