#include "harness/cli/run_model_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>

#include "harness/base/console.h"
#include "harness/cli/run_model_command.h"
#include "harness/cli/values.h"

namespace tritcheck::cli {
namespace {

constexpr uint64_t kMostPositions = uint64_t{1} << 24;

constexpr const char* kFooter =
    "The text goes to standard output as it comes, with one line end behind it; all else to standard error.\n"
    "Examples:\n"
    "  tritcheck run m.gguf -p 'The capital of France is' -n 40\n"
    "  tritcheck run m.gguf -p - --chat auto --temp 0.8 --top-p 0.95 --seed 7 < question.txt\n"
    "  tritcheck run m.gguf -p 'One, two' -n 1 --kernels golden --trace steps.jsonl\n"
    "Exit codes: 0 done, 2 a kernel crashed, 4 bad usage, 5 bad file, 130 interrupted (docs/exit-codes.md).";

// A number with what it may be in words; `good` says whether it is.
double number_value(const std::string& option, const std::string& text, const char* wanted, bool (*good)(double)) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !good(value))
    throw UserError(kExitUsage, fmt::format("{}: '{}' is not {}", option, printable(text), wanted));
  return value;
}

std::vector<int32_t> ids_value(const std::string& text) {
  std::vector<int32_t> out;
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    out.push_back(static_cast<int32_t>(whole_value("--ids", text.substr(at, comma - at), 0, INT32_MAX)));
    at = comma + 1;
  }
  return out;
}

void set_chat(RunModelOptions& o, const std::string& text) {
  o.detect_chat = text == "auto";
  if (o.detect_chat) return;
  const auto chat = text::chat_template(text == "bitnet_cpp" ? "bitnet.cpp" : text);
  if (!chat) {
    throw UserError(kExitUsage, fmt::format("--chat: '{}' is not raw, hf, ik, bitnet_cpp or auto", printable(text)));
  }
  o.chat = *chat;
}

using Add = std::function<void(const char*, const char*, const char*, std::function<void(const std::string&)>)>;

void add_prompt_options(const Add& value, RunModelOptions& o) {
  value("-p,--prompt", "TEXT", "The prompt; -: standard input, without the last line end",
        [&o](const std::string& v) { o.prompt = v; });
  value("--ids", "LIST", "The prompt as token ids, such as 510,276,267",
        [&o](const std::string& v) { o.ids = ids_value(v); });
  value("--chat", "FORM", "How the prompt is put: raw (default), hf, ik, bitnet_cpp, or auto: as the file's template",
        [&o](const std::string& v) { set_chat(o, v); });
  value("--system", "TEXT", "System text, for --chat hf and ik", [&o](const std::string& v) { o.system = v; });
}

void add_length_options(const Add& value, RunModelOptions& o) {
  value("-n,--tokens", "N", "Tokens to generate, at most (until the model ends the text or the context is full)",
        [&o](const std::string& v) { o.tokens = static_cast<int64_t>(whole_value("--tokens", v, 0, INT32_MAX)); });
  value("-c,--context", "N", "Positions for prompt and text together (the model's)", [&o](const std::string& v) {
    o.context = static_cast<int64_t>(whole_value("--context", v, 1, kMostPositions));
  });
}

void add_engine_options(const Add& value, RunModelOptions& o) {
  value("-t,--threads", "N", "Threads (one per core)",
        [&o](const std::string& v) { o.engine.threads = static_cast<int>(whole_value("--threads", v, 1, 256)); });
  value("--kernels", "KERNELS",
        "auto (default), golden, an instruction set, a kernel's name (museum ones too), or op=NAME,...",
        [&o](const std::string& v) { o.engine.kernels = v; });
  value("--layout", "LAYOUT",
        "Layout of the I2_S weights, which no file tells (x86_128): x86_128, arm_64, rows_1x4, linear; or "
        "auto: find it by what golden makes of the four (minutes on a large model)",
        [&o](const std::string& v) {
          o.find_layout = v == "auto";
          o.layout = o.find_layout ? std::nullopt : std::optional(layout_value("--layout", v));
        });
  value("--act", "ACT", "How activations are quantised: auto (default; as the weights' kernels do), row, block or none",
        [&o](const std::string& v) { o.engine.act = act_value("--act", v); });
  value("--isa", "LIST", "Instruction sets that auto may take; scalar always is (or TRITCHECK_ISA)",
        [&o](const std::string& v) { o.engine.isa = isa_values("--isa", v); });
}

void add_sampler_options(const Add& value, RunModelOptions& o) {
  value("--temp", "T", "Temperature; 0 (default): the most likely token each time", [&o](const std::string& v) {
    o.sampler.temperature =
        number_value("--temp", v, "a number from 0 to 1000", [](double t) { return t >= 0 && t <= 1000; });
  });
  value("--top-k", "K", "Draw from the K most likely tokens (0: all)", [&o](const std::string& v) {
    o.sampler.top_k = static_cast<int64_t>(whole_value("--top-k", v, 0, INT32_MAX));
    o.choices_given = true;
  });
  value("--top-p", "P", "Draw from the fewest tokens whose probabilities reach P (1: all)", [&o](const std::string& v) {
    o.sampler.top_p =
        number_value("--top-p", v, "a number above 0 and up to 1", [](double p) { return p > 0 && p <= 1; });
    o.choices_given = true;
  });
  value("--seed", "N", "Seed of the draws (1): the same seed, the same text", [&o](const std::string& v) {
    o.sampler.seed = whole_value("--seed", v, 0, UINT64_MAX);
    o.choices_given = true;
  });
}

}  // namespace

void add_run_model(CLI::App& root, CommandLine& line) {
  RunModelOptions& o = line.run;
  CLI::App* app = root.add_subcommand("run", "Continue a text with a model");
  app->footer(kFooter);
  app->add_option("MODEL", o.model, "The GGUF file")->required()->type_name("");
  const Add value = [app](const char* option, const char* type, const char* help, auto set) {
    app->add_option_function<std::string>(option, set, help)->type_name(type);
  };
  add_prompt_options(value, o);
  app->add_flag("--no-bos", o.no_bos, "Do not begin with the token that begins a text");
  app->add_flag("--special", o.special,
                "Texts such as <|eot_id|> in the prompt are the tokens, and tokens of the answer without text show");
  add_length_options(value, o);
  add_engine_options(value, o);
  add_sampler_options(value, o);
  value("--trace", "FILE", "Write every operation's result to this file, a line of JSON each",
        [&o](const std::string& v) { o.trace = v; });
  app->add_flag("--trace-values", o.trace_values, "All numbers in the trace, not only their sums");
}

void check_run_model(const RunModelOptions& o) {
  const auto refuse = [](bool bad, const char* why) {
    if (bad) throw UserError(kExitUsage, why);
  };
  const bool chat = o.detect_chat || o.chat != text::ChatTemplate::raw;
  refuse(!o.prompt && o.ids.empty(), "run needs a prompt: -p TEXT, -p - for standard input, or --ids LIST");
  refuse(o.prompt && !o.ids.empty(), "-p and --ids exclude each other; give one");
  refuse(!o.ids.empty() && (chat || !o.system.empty() || o.no_bos),
         "--ids is the whole prompt: --chat, --system and --no-bos do nothing with it");
  refuse(chat && o.no_bos, "--no-bos goes with --chat raw: the other forms say themselves how they begin");
  refuse(!chat && !o.system.empty(), "--system needs --chat hf or ik: raw has no place for it");
  refuse(o.trace_values && o.trace.empty(), "--trace-values needs --trace FILE");
}

}  // namespace tritcheck::cli
