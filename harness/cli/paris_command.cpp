#include "harness/cli/paris_command.h"

#include <CLI/CLI.hpp>

#include "harness/cli/progress.h"
#include "harness/cli/terminal.h"
#include "harness/cli/values.h"
#include "harness/paris/paris_report.h"
#include "harness/paris/prompts.h"

namespace tritcheck::cli {
namespace {

constexpr const char* kFooter =
    "Golden runs here, in float64 with exact integers; the candidate runs on the device with the kernels named.\n"
    "Examples:\n"
    "  tritcheck paris m.gguf                               this machine's best kernels\n"
    "  tritcheck paris m.gguf --device qemu:cortex-a53      on emulated ARM\n"
    "  tritcheck paris m.gguf --layout arm_64 --kernels scalar\n"
    "  tritcheck paris m.gguf --kernels bug_layout_64_on_128       see what a broken kernel makes of the text\n"
    "Exit codes: 0 healthy and exact, 1 healthy text but an operation is not exact, 2 the candidate crashed or hung,\n"
    "10 suspect, 11 degenerate, 12 the model itself is broken; others as for every command (docs/exit-codes.md).";

}  // namespace

void add_paris(CLI::App& root, CommandLine& line) {
  ParisOptions& o = line.paris;
  CLI::App* app =
      root.add_subcommand("paris", "Does this model still speak on these kernels, and is every operation exact?");
  app->footer(kFooter);
  app->add_option("MODEL", o.model, "The GGUF file")->required()->type_name("");
  const auto value = [app](const char* option, const char* type, const char* help, auto set) {
    app->add_option_function<std::string>(option, set, help)->type_name(type);
  };
  app->add_option("--kernels", o.kernels,
                  "auto (default), golden, an instruction set, a kernel's name (museum ones too), or op=NAME,...")
      ->type_name("KERNELS");
  app->add_option("--device", o.device, "local (default) or qemu:[ARCH/]CPU[,vl=BITS]")->type_name("DEVICE");
  value("--layout", "LAYOUT",
        "Layout of the I2_S weights, which no file tells (x86_128): x86_128, arm_64, rows_1x4, linear",
        [&o](const std::string& v) { o.layout = layout_value("--layout", v); });
  value("--act", "ACT", "How activations are quantised: auto (default; as the weights' kernels do), row, block or none",
        [&o](const std::string& v) { o.act = act_value("--act", v); });
  value("--prompts", "FILE", "Prompts of your own, one per line",
        [&o](const std::string& v) { o.prompts = read_prompts(v); });
  app->add_option("--golden-file", o.golden_file,
                  "Take golden's side from this file if it exists, and keep it there: golden is slow on a large model; "
                  "auto: one in the user's cache for each model")
      ->type_name("FILE");
  value("-n,--tokens", "N", "Tokens to continue each prompt by, at most (40)",
        [&o](const std::string& v) { o.tokens = static_cast<int>(whole_value("--tokens", v, 1, 100000)); });
  value("-t,--threads", "N", "Threads of golden and of the candidate (one per core)",
        [&o](const std::string& v) { o.threads = static_cast<int>(whole_value("--threads", v, 1, 256)); });
  value("--isa", "LIST", "Instruction sets that auto may take; scalar always is (or TRITCHECK_ISA)",
        [&o](const std::string& v) { o.isa = isa_values("--isa", v); });
  value("--timeout", "SECONDS", "CPU time the candidate may take for one answer (120)",
        [&o](const std::string& v) { o.limit_s = milliseconds_value("--timeout", v) / 1000.0; });
  app->add_flag_callback(
      "--no-exactness", [&o] { o.exactness = false; }, "Judge the text only; leave out the operations one by one");
  value("--report", "FORMAT", "text (default), json or junit",
        [&line](const std::string& v) { line.format = format_value("--report", v); });
  app->add_option("--output", line.output, "Write the report to this file; the text report still comes here")
      ->type_name("FILE");
  value("--color,--colour", "WHEN", "auto (default), always or never",
        [&line](const std::string& v) { line.colour = colour_value("--color", v); });
}

int paris_command(const CommandLine& line) {
  ParisOptions options = line.paris;
  options.program = line.options.program;
  if (options.isa.empty()) options.isa = line.options.isa;
  std::optional<ReportFile> file = report_file(line, options.model);
  ParisReport report;
  {
    ProgressLine progress("prompts");
    report = paris(options, progress.callbacks());
  }
  const auto in_format = [&](Format format) {
    return format == Format::json    ? paris_json(report)
           : format == Format::junit ? paris_junit(report)
                                     : paris_text(report, false, 100);
  };
  deliver(line, file, in_format, [&] { return paris_text(report, use_colour(line.colour), output_width()); });
  return exit_code(report);
}

}  // namespace tritcheck::cli
