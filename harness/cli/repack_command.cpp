#include "harness/cli/repack_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "harness/base/console.h"
#include "harness/base/mapped_file.h"
#include "harness/cli/progress.h"
#include "harness/cli/terminal.h"
#include "harness/cli/values.h"
#include "harness/models/inspect_facts.h"
#include "harness/paris/layout_score.h"

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
  add_layout("--from", "Layout of IN (found by what the weights make of plain sentences, if they can tell): ",
             [&o](const std::string& v) { o.from = layout_value("--from", v); });
  app->add_flag("--dry-run", o.dry_run, "Check everything and say what would be done; write nothing");
  app->add_flag("--overwrite", o.overwrite, "Replace OUT if there is such a file, even if it is IN");
}

namespace {

// What --from would have said, from what golden makes of the four readings.
i2_s::Layout found_layout(const std::string& path) {
  const MappedFile mapped(path);
  const gguf::File file = parse_model(path, mapped.bytes());
  std::string why = "it has no I2_S tensor";
  if (!gguf::i2_s_slices(file).empty()) {
    try {
      const LayoutAnswer answer = score_layouts_visibly(path, file);
      if (answer.layout) return *answer.layout;
      why = answer.text();
    } catch (const UserError& e) {
      if (e.code() == kExitInterrupted) throw;
      why = e.what();
    }
  }
  throw UserError(kExitUsage,
                  "repack needs --from LAYOUT: no I2_S file says which layout it has, and here the weights "
                  "do not either: " +
                      why);
}

}  // namespace

int repack_command(const CommandLine& given) {
  CommandLine line = given;
  if (!line.repack.from) {
    line.repack.from = found_layout(line.repack.in);
    std::fputs(("tritcheck: " + printable(line.repack.in) + " is packed as " +
                std::string(i2_s::name(*line.repack.from)) + ", by what its weights make of plain sentences\n")
                   .c_str(),
               stderr);
  }
  RepackResult result;
  {
    RepackProgressLine progress;
    result = repack(line.repack, progress.callback());
  }
  print(repack_text(line.repack, result, line.options.program));
  return kExitPass;
}

}  // namespace tritcheck::cli
