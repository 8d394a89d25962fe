#include "harness/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "harness/base/console.h"
#include "harness/base/match.h"
#include "harness/base/shell.h"
#include "harness/cli/paris_command.h"
#include "harness/cli/repack_command.h"
#include "harness/cli/run_model_command.h"
#include "harness/cli/values.h"

namespace tritcheck::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 all right, 1 a wrong result, 2 a kernel crashed or hung, 3 nothing ran, 4 bad usage,\n"
    "5 bad file, 6 no such device, 7 internal error, 130 interrupted (docs/exit-codes.md).\n"
    "`tritcheck COMMAND --help` explains one command.";

constexpr const char* kVerifyExamples =
    "Examples:\n"
    "  tritcheck verify                                 every kernel, on this machine\n"
    "  tritcheck verify avx2 'i2_s_*_gemv_*' --quick    kernels whose names hold or match these\n"
    "  tritcheck verify --device local --device qemu:cortex-a53 --device qemu:x86_64/Haswell\n"
    "  tritcheck verify --model m.gguf --layout arm_64  every row of a real model\n"
    "  tritcheck verify --bugs all                      the museum: broken kernels, caught and named\n"
    "  tritcheck verify --lib build/bin/libggml-cpu.so  every function of somebody's library\n"
    "  tritcheck verify --report junit --output r.xml   the table here, JUnit in the file";

using Text = std::string;
using Texts = std::vector<std::string>;

void add_list(CLI::App& app, const Text& option, Texts& values, const Text& type, const Text& help,
              bool commas = true) {
  CLI::Option* o = app.add_option(option, values, help)->allow_extra_args(false)->type_name(type);
  if (commas) o->delimiter(',');
}

void add_value(CLI::App& app, const Text& option, const Text& type, const Text& help,
               const std::function<void(const Text&)>& set) {
  app.add_option_function<Text>(option, set, help)->type_name(type);
}

void add_effort_options(CLI::App& app, VerifyOptions& o) {
  add_value(app, "--seed", "N", "Seed of every random choice (1)",
            [&o](const Text& v) { o.seed = whole_value("--seed", v, 0, UINT64_MAX); });
  add_value(app, "--jobs,-j", "N", "Workers at a time (one per core)",
            [&o](const Text& v) { o.jobs = static_cast<int>(whole_value("--jobs", v, 1, 256)); });
}

// Options of every command that runs chosen kernels.
void add_run_options(CLI::App& app, CommandLine& line) {
  VerifyOptions& o = line.options;
  add_list(app, "--kernel", o.kernels, "NAME", "Exactly this kernel; repeatable");
  add_list(app, "--device", o.devices, "DEVICE", "local (default) or qemu:[ARCH/]CPU[,vl=BITS]; repeatable", false);
  add_list(app, "--lib", o.libs, "PATH",
           "Instead of tritcheck's kernels: the functions of this ggml library, or of all in this folder; repeatable",
           false);
  app.add_option("--model", o.model, "Weights from this GGUF file instead of probes")->type_name("FILE");
  add_value(app, "--layout", "LAYOUT",
            "Layout of the model, or of the data for --force: x86_128, arm_64, rows_1x4, linear",
            [&o](const Text& v) { o.layout = layout_value("--layout", v); });
  app.add_flag("--force", o.force, "Run kernels although the CPU lacks their ISA or their layout is not the data's");
  add_value(app, "--isa", "LIST", "Instruction sets to allow, each by its name; scalar always is (or TRITCHECK_ISA)",
            [&o](const Text& v) { o.isa = isa_values("--isa", v); });
  add_list(app, "--without", o.without_families, "FAMILY",
           "Leave out this probe family; F11: no guard pages; repeatable");
  add_value(app, "--timeout", "SECONDS", "CPU time one call may take (2)",
            [&o](const Text& v) { o.timeout_ms = milliseconds_value("--timeout", v); });
  add_value(app, "--report", "FORMAT", "text (default), json, junit, or upstream: bug reports for a library's authors",
            [&line](const Text& v) { line.format = format_value("--report", v); });
  app.add_option("--output", line.output, "Write the report to this file; the text report still comes here")
      ->type_name("FILE");
}

void add_colour_option(CLI::App& app, CommandLine& line) {
  add_value(app, "--color,--colour", "WHEN", "auto (default: on a terminal unless NO_COLOR is set), always or never",
            [&line](const Text& v) { line.colour = colour_value("--color", v); });
}

void add_verify(CLI::App& root, CommandLine& line) {
  VerifyOptions& o = line.options;
  CLI::App* app = root.add_subcommand("verify", "Test kernels against the golden reference and name what is wrong");
  app->footer(kVerifyExamples);
  app->add_option("FILTER", o.filters, "Kernels whose names contain this, or match it as a glob; default: all")
      ->type_name("");
  const auto set_level = [&o](Level level) {
    if (o.level != Level::standard) throw UserError(kExitUsage, "--quick and --thorough exclude each other; give one");
    o.level = level;
  };
  app->add_flag_callback(
      "--quick", [set_level] { set_level(Level::quick); }, "Fewer shapes and random cases; still every probe family");
  app->add_flag_callback(
      "--thorough", [set_level] { set_level(Level::thorough); }, "More of both, for a nightly run");
  add_effort_options(*app, o);
  app->add_flag("--fail-fast", o.fail_fast, "Stop at the first kernel that fails");
  add_list(*app, "--family", o.families, "FAMILY", "Only this probe family; repeatable");
  app->add_option("--baseline", o.baseline, "With --lib: known defects, which do not count (docs/libraries.md)")
      ->type_name("FILE");
  app->add_option_function<Texts>(
         "--compare",
         [&o](const Texts& both) {
           o.libs = both;
           o.compare = true;
         },
         "Two libraries: what the new one does worse than the old one")
      ->expected(2)
      ->type_name("OLD NEW");
  add_list(*app, "--bugs", o.bugs, "NAME", "Verify broken kernels of the museum instead: a name, a glob or all");
  add_run_options(*app, line);
  add_colour_option(*app, line);
}

void add_replay(CLI::App& root, CommandLine& line) {
  CLI::App* app = root.add_subcommand("replay", "Run one case again, as the repro line of a report says");
  app->add_option("CASE", line.subject, "The case as a report prints it")->required()->type_name("");
  add_run_options(*app, line);
  add_colour_option(*app, line);
}

void add_list_command(CLI::App& root, CommandLine& line) {
  CLI::App* app = root.add_subcommand("list", "List kernels, probes, targets or bugs");
  app->add_option("WHAT", "kernels, probes, targets or bugs")->type_name("")->each([&line](const Text& v) {
    line.subject = list_value(v);
  });
  app->add_flag("--markdown", line.markdown, "kernels: the table of docs/kernels.md, the same on every machine");
  add_list(*app, "--device", line.options.devices, "DEVICE", "kernels: on this device (local)", false);
  add_value(*app, "--isa", "LIST", "kernels: with this allow-list",
            [&line](const Text& v) { line.options.isa = isa_values("--isa", v); });
  add_colour_option(*app, line);
}

void add_matrix(CLI::App& root, CommandLine& line) {
  CLI::App* app = root.add_subcommand("matrix", "Which probe family catches which broken kernel, and which is needed");
  app->footer("Takes a few minutes: the whole museum, with each family alone and without each family.");
  add_effort_options(*app, line.options);
  add_list(*app, "--device", line.options.devices, "DEVICE", "local (default) or qemu:[ARCH/]CPU[,vl=BITS]", false);
}

void add_selfcheck(CLI::App& root, CommandLine& line) {
  CLI::App* app = root.add_subcommand("selfcheck", "Does tritcheck catch and name every broken kernel it has, here?");
  app->footer(
      "Both museums in one default run each: kernels of I2_S and functions on ggml's blocks, with right ones between.");
  app->add_flag_callback(
      "--quick", [&line] { line.options.level = Level::quick; }, "Fewer cases, as for verify");
  add_effort_options(*app, line.options);
  add_colour_option(*app, line);
}

void add_others(CLI::App& root, CommandLine& line) {
  CLI::App* explain = root.add_subcommand("explain", "What a diagnosis means, where it was seen, how to fix it");
  explain->add_option("NAME", line.subject, "The diagnosis; without one: list all")->type_name("");

  CLI::App* inspect = root.add_subcommand("inspect", "What is in a GGUF file");
  inspect->add_option("FILE", line.subject, "The file")->required()->type_name("");
  inspect->add_flag("--verbose,-v", line.verbose, "All metadata, unabbreviated");
  inspect->add_flag("--layout", line.which_layout,
                    "Which layout the I2_S weights have: what golden makes of each reading");
  add_list(*inspect, "--text", line.texts, "TEXT", "A sentence the model should find likely (capitals); repeatable",
           false);
  add_value(*inspect, "--report", "FORMAT", "text (default) or json", [&line](const Text& v) {
    line.format = format_value("--report", v);
    if (line.format != Format::text && line.format != Format::json)
      throw UserError(kExitUsage, "--report: inspect writes text or json");
  });
}

// What an unexpected word was probably meant to be: a command at the top, an option below.
Text suggestion(const CLI::App& app, const Text& word) {
  Texts known;
  if (!word.starts_with('-')) {
    for (const CLI::App* sub : app.get_subcommands({})) known.push_back(sub->get_name());
    return did_you_mean(word, known);
  }
  for (const CLI::Option* o : app.get_options()) {
    for (const Text& name : o->get_lnames()) known.push_back("--" + name);
  }
  return did_you_mean(word.substr(0, word.find('=')), known);
}

UserError unexpected_word(const CLI::App& root) {
  const auto chosen = root.get_subcommands();
  const CLI::App& app = chosen.empty() ? root : *chosen.front();
  const Texts rest = root.remaining(true);
  const Text word = rest.empty() ? "" : rest.front();
  const char* kind = word.starts_with('-') ? "option" : chosen.empty() ? "command" : "argument";
  const Text command = chosen.empty() ? "tritcheck" : "tritcheck " + app.get_name();
  return UserError(kExitUsage, fmt::format("unknown {} '{}'{} (`{} --help` lists what there is)", kind, printable(word),
                                           suggestion(app, word), command));
}

// CLI11 counts values ("--seed: 1 required N missing", "--seed: At most 1 required but received 2", "--compare: At
// least 2 required but received 1").
Text plain_words(const CLI::ParseError& error) {
  const Text text = error.what();
  const Text option = text.substr(0, text.find(':'));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) return printable(text);
  if (text.find("least") != Text::npos)
    return printable(option) + " needs two values";  // only --compare has more than one
  return printable(option) + (text.find("missing") != Text::npos ? " needs a value" : " was given more than once");
}

void exclude(bool both, const Text& one, const Text& other) {
  if (both) throw UserError(kExitUsage, one + " and " + other + " exclude each other; give one");
}

// An empty value is a variable that was not set, and an ignored option a check that did not happen.
void check_combination(const CommandLine& line, const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    for (const Text& value : option->results()) {
      if (value.empty())
        throw UserError(kExitUsage, option->get_name(false, true) + " is empty; is a variable not set?");
    }
  }
  if (line.format == Format::upstream && line.options.libs.empty())
    throw UserError(kExitUsage, "--report upstream is for --lib: it tells a library's authors");
  const VerifyOptions& o = line.options;
  // what a library runs is its own choice
  exclude(!o.libs.empty() && !o.isa.empty(), o.compare ? "--compare" : "--lib", "--isa");
  if (line.command != Command::verify) return;
  if (o.compare && command.get_option("--lib")->count() > 0) exclude(true, "--compare", "--lib");
  if (!o.baseline.empty() && o.libs.empty()) throw UserError(kExitUsage, "--baseline is for --lib");
  exclude(!o.libs.empty() && !o.bugs.empty(), "--lib", "--bugs");
  exclude(!o.libs.empty() && o.layout.has_value(), "--lib", "--layout");
  exclude(!o.libs.empty() && o.force, "--lib", "--force");
  exclude(!o.bugs.empty() && !o.kernels.empty(), "--bugs", "--kernel");
  exclude(!o.bugs.empty() && !o.filters.empty(), "--bugs", "a FILTER");
  exclude(!o.kernels.empty() && !o.filters.empty(), "--kernel", "a FILTER");
  exclude(!o.bugs.empty() && !o.model.empty(), "--bugs", "--model");
  exclude(!o.model.empty() && !o.families.empty(), "--model", "--family");
  // every row of a model is one set of cases: there is no family to leave out, but the guard pages
  for (const Text& family : o.without_families)
    exclude(!o.model.empty() && family != "F11", "--model", "--without " + family);
  if (o.layout && o.model.empty() && !o.force) {
    throw UserError(kExitUsage, "--layout needs --model, or --force to run a kernel on data of another layout");
  }
}

void check_list(const CommandLine& line) {
  if (line.subject.empty()) throw UserError(kExitUsage, "list what? one of kernels, probes, targets, bugs");
  const bool for_kernels =
      line.markdown || line.options.devices != VerifyOptions().devices || !line.options.isa.empty();
  if (line.subject != "kernels" && for_kernels) {
    throw UserError(kExitUsage, "--device, --isa and --markdown are for `list kernels`");
  }
}

}  // namespace

CommandLine parse_command_line(std::vector<std::string> args) {
  CommandLine line;
  const Text program = args.empty() ? "" : args.front().substr(args.front().find_last_of('/') + 1);
  if (program == "verify") args.insert(args.begin() + 1, "verify");
  // a repro line must work when pasted where this command was typed
  if (!args.empty() && program.size() < args.front().size()) {
    const Text path = args.front().substr(0, args.front().size() - program.size()) + "tritcheck";
    line.options.program = shell_word(path);
  }

  CLI::App root("tritcheck: are the low-bit kernels you are about to trust right, and if not, what is wrong?",
                "tritcheck");
  root.footer(kExitCodes);
  root.require_subcommand(0, 1);
  bool version = false;
  root.add_flag("--version", version, "Version, compiler, flags and schema version");
  add_verify(root, line);
  add_replay(root, line);
  add_list_command(root, line);
  add_matrix(root, line);
  add_selfcheck(root, line);
  add_paris(root, line);
  add_repack(root, line);
  add_run_model(root, line);
  add_others(root, line);

  std::vector<std::string> reversed(args.rbegin(), args.empty() ? args.rend() : args.rend() - 1);
  try {
    root.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    line.help = root.help();
    return line;
  } catch (const CLI::ExtrasError&) {
    throw unexpected_word(root);
  } catch (const CLI::ParseError& e) {
    const auto chosen = root.get_subcommands();
    const Text command = chosen.empty() ? "tritcheck" : "tritcheck " + chosen.front()->get_name();
    throw UserError(kExitUsage, fmt::format("{} (`{} --help` explains)", plain_words(e), command));
  }

  if (version) {
    line.command = Command::version;
    return line;
  }
  const auto chosen = root.get_subcommands();
  if (chosen.empty()) {
    throw UserError(kExitUsage,
                    "no command given; `tritcheck verify` tests every kernel, `tritcheck --help` lists the rest");
  }
  static const std::map<Text, Command> commands = {{"verify", Command::verify},       {"replay", Command::replay},
                                                   {"list", Command::list},           {"explain", Command::explain},
                                                   {"inspect", Command::inspect},     {"matrix", Command::matrix},
                                                   {"selfcheck", Command::selfcheck}, {"repack", Command::repack},
                                                   {"paris", Command::paris},         {"run", Command::run}};
  line.command = commands.at(chosen.front()->get_name());
  if (line.command == Command::matrix && line.options.devices.size() > 1) {
    throw UserError(kExitUsage, "matrix runs on one device; give --device once");
  }
  if (line.command == Command::list) check_list(line);
  if (line.command == Command::inspect && !line.texts.empty() && !line.which_layout)
    throw UserError(kExitUsage, "--text is for `inspect --layout`");
  check_combination(line, *chosen.front());
  if (line.command == Command::run) check_run_model(line.run);
  if (line.options.isa.empty()) line.options.isa = isa_from_environment_value();
  return line;
}

}  // namespace tritcheck::cli
