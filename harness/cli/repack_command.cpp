#include "harness/cli/repack_command.h"

#include <CLI/CLI.hpp>

#include "harness/cli/progress.h"
#include "harness/cli/terminal.h"
#include "harness/cli/values.h"

namespace tritcheck::cli {
namespace {

constexpr const char* kLayoutNames = "x86_128, arm_64, rows_1x4 or linear";

constexpr const char* kFooter =
    "Everything but the I2_S codes is copied byte for byte. OUT appears complete or not at all.\n"
    "Example: tritcheck repack m.gguf m.arm_64.gguf --from x86_128 --layout arm_64";

}  // namespace

void add_repack(CLI::App& root, CommandLine& line) {
  RepackOptions& o = line.repack;
  CLI::App* app = root.add_subcommand("repack", "Rewrite the I2_S weights of a GGUF file in another layout");
  app->footer(kFooter);
  app->add_option("IN", o.in, "The file to read")->required()->type_name("");
  app->add_option("OUT", o.out, "The file to write")->required()->type_name("");
  const auto add_layout = [app](const std::string& option, const std::string& help, auto set) {
    return app->add_option_function<std::string>(option, set, help + kLayoutNames)->type_name("LAYOUT");
  };
  add_layout("--layout", "Layout of OUT: ", [&o](const std::string& v) {
    o.to = layout_value("--layout", v);
  })->required();
  add_layout("--from",
             "Layout of IN, which no file tells: ", [&o](const std::string& v) { o.from = layout_value("--from", v); });
  app->add_flag("--dry-run", o.dry_run, "Check everything and say what would be done; write nothing");
  app->add_flag("--overwrite", o.overwrite, "Replace OUT if there is such a file, even if it is IN");
}

int repack_command(const CommandLine& line) {
  RepackResult result;
  {
    RepackProgressLine progress;
    result = repack(line.repack, progress.callback());
  }
  print(repack_text(line.repack, result, line.options.program));
  return kExitPass;
}

}  // namespace tritcheck::cli
