#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>

#include "harness/base/console.h"
#include "harness/cli/command_line.h"
#include "harness/cli/listing.h"
#include "harness/cli/paris_command.h"
#include "harness/cli/repack_command.h"
#include "harness/cli/run_command.h"
#include "harness/cli/run_model_command.h"
#include "harness/cli/signals.h"
#include "harness/cli/terminal.h"
#include "harness/diagnose/catalog/catalog.h"
#include "harness/models/inspect.h"

namespace tritcheck::cli {
namespace {

int run(int argc, char** argv) {
  const CommandLine line = parse_command_line({argv, argv + argc});
  switch (line.command) {
    case Command::help:
      print(line.help);
      return kExitPass;
    case Command::version:
      print(version_text());
      return kExitPass;
    case Command::verify:
    case Command::replay:
      return run_command(line);
    case Command::matrix:
      return matrix_command(line);
    case Command::selfcheck:
      return selfcheck_command(line);
    case Command::paris:
      return paris_command(line);
    case Command::repack:
      return repack_command(line);
    case Command::run:
      return run_model_command(line);
    case Command::list:
      print(list_text(line, use_colour(line.colour), output_width()));
      return kExitPass;
    case Command::explain:
      print(line.subject.empty() ? diagnoses_text(output_width()) : explain_text(line.subject));
      return kExitPass;
    case Command::inspect:
      return inspect_command(line);
  }
  return kExitInternal;
}

// Never throws: standard error may be closed or full.
void complain(const std::string& text) {
  std::fputs(("tritcheck: " + text + "\n").c_str(), stderr);
}

}  // namespace
}  // namespace tritcheck::cli

// Every error is one line; nothing escapes.
int main(int argc, char** argv) {
  using namespace tritcheck;
  try {
    cli::install_signal_handlers();
    return cli::run(argc, argv);
  } catch (const UserError& e) {
    cli::complain(printable(e.what()));
    return e.code();
  } catch (const std::bad_alloc&) {
    cli::complain("out of memory");
  } catch (const std::exception& e) {
    cli::complain(fmt::format("internal error: {}; please report it with the command line and `tritcheck --version`",
                              printable(e.what())));
  }
  return kExitInternal;
}
