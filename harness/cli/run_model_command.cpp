#include "harness/cli/run_model_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "corpora/bugs/bugs.h"
#include "engine/generate/generate.h"
#include "harness/base/console.h"
#include "harness/cli/progress.h"
#include "harness/cli/run_model_io.h"
#include "harness/cli/signals.h"

namespace tritcheck::cli {
namespace {

// For people: on standard error, so that the text stays alone on standard output. Never throws: it may be closed or
// full.
void say(const std::string& line) {
  std::fputs((printable(line) + "\n").c_str(), stderr);
}

constexpr unsigned kGrace = 10;  // seconds from the first signal for a token to end in

// A kernel that somebody named may be broken in any way, and runs in this process.
extern "C" void on_crash(int) {
  constexpr char kText[] =
      "\ntritcheck: a kernel crashed; `tritcheck verify --kernel NAME` says what is wrong with it\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText, sizeof kText - 1);
  _exit(kExitCrash);
}

// Set while a kernel that somebody named runs in this process.
std::atomic<bool> g_in_kernels{false};

// A kernel that calls exit() would end the program with its own code.
void on_exit_from_kernel() {
  if (g_in_kernels) on_crash(0);
}

// A token that never ends: the first signal asks for an end behind the token, which does not come.
extern "C" void on_alarm(int) {
  constexpr char kText[] = "\ntritcheck: stopped in the middle of a token that did not end\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText, sizeof kText - 1);
  _exit(kExitInterrupted);
}

// While this lives, whatever such a kernel does ends in an exit code of ours.
class InKernels {
 public:
  InKernels() {
    for (const int signal : {SIGSEGV, SIGILL, SIGFPE, SIGABRT}) std::signal(signal, on_crash);
    std::signal(SIGALRM, on_alarm);
    std::atexit(on_exit_from_kernel);
    give_up_after(kGrace);
    g_in_kernels = true;
  }
  ~InKernels() {
    g_in_kernels = false;
    give_up_after(0);
  }
  InKernels(const InKernels&) = delete;
  InKernels& operator=(const InKernels&) = delete;
};

class RunModel {
 public:
  explicit RunModel(const RunModelOptions& options)
      : options_(options), model_(options.model, [&](const gguf::File& file) { return layout_of(options, file); }) {
    running_ = start_engine(model_.model(), options.engine, registry_);
    context_ = options.context.value_or(model_.model().config.context);
  }

  int run() {
    const std::vector<int32_t> prompt = read_prompt();
    if (g_interrupted) return kExitInterrupted;
    check(prompt);
    std::optional<TraceFile> trace;
    if (!options_.trace.empty()) trace.emplace(options_.trace, options_.model, options_.trace_values);
    introduce();
    const engine::Generated done = [&] {
      std::optional<InKernels> guard;
      if (options_.engine.kernels != "golden") guard.emplace();
      return generate(prompt, trace);
    }();
    if (trace) trace->close();
    model_.check_unchanged();
    report(done);
    return done.end == engine::End::asked && g_interrupted ? kExitInterrupted : kExitPass;
  }

 private:
  static std::optional<Layout> layout_of(const RunModelOptions& options, const gguf::File& file) {
    if (!options.find_layout) return options.layout;
    const LayoutAnswer answer = score_layouts_visibly(options.model, file);
    if (answer.layout) return answer.layout;
    throw UserError(kExitUsage, fmt::format("--layout auto: {}; name the layout", answer.text()));
  }

  std::vector<int32_t> read_prompt() {
    if (!options_.ids.empty()) return options_.ids;
    const text::Tokenizer* tokenizer = model_.tokenizer();
    if (tokenizer == nullptr) {
      throw UserError(kExitBadFile, fmt::format("{}: {}; --ids takes token ids", options_.model, model_.why_no_text()));
    }
    const std::string text = *options_.prompt == "-" ? standard_input() : *options_.prompt;
    if (g_interrupted) return {};
    try {
      const text::ChatTemplate chat = chat_template();
      if (chat != text::ChatTemplate::raw) return render_chat(*tokenizer, chat, options_.system, text);
      text::EncodeOptions how{.parse_special = options_.special};
      if (options_.no_bos) how.add_bos = false;
      return tokenizer->encode(text, how);
    } catch (const text::Error& e) {
      throw UserError(kExitUsage, e.what());
    }
  }

  text::ChatTemplate chat_template() {
    if (!options_.detect_chat) return options_.chat;
    const auto found = text::detect_chat_template(model_.file());
    if (found) {
      notices_.push_back(fmt::format("chat template of the file: {}", name(*found)));
    } else if (options_.system.empty()) {
      notices_.push_back("the file has no chat template that is known here: the prompt is taken raw");
    } else {
      throw UserError(kExitUsage,
                      "--chat auto: the file has no chat template that is known here, and without one "
                      "there is no place for --system; give --chat hf or ik");
    }
    return found.value_or(text::ChatTemplate::raw);
  }

  // What generate() and the engine would refuse, before anything is printed.
  void check(const std::vector<int32_t>& prompt) const {
    if (prompt.empty()) throw UserError(kExitUsage, "the prompt is empty: there is no token to begin with");
    if (static_cast<int64_t>(prompt.size()) > context_) {
      throw UserError(kExitUsage, fmt::format("the prompt has {} tokens, the context {} positions; shorten it or give "
                                              "-c {}",
                                              prompt.size(), context_, prompt.size()));
    }
    const int64_t vocab = model_.model().config.vocab;
    for (const int32_t id : prompt) {
      if (id >= vocab) throw UserError(kExitUsage, fmt::format("token id {}: this model has 0 to {}", id, vocab - 1));
    }
  }

  void introduce() {
    const engine::Model& m = model_.model();
    const char* how = options_.find_layout ? " (found)" : options_.layout ? "" : " (assumed)";
    const std::string layout = m.has_i2_s ? fmt::format(", I2_S layout {}{}", i2_s::name(m.layout), how) : "";
    say(fmt::format("model: {}, {}, context {}{}", options_.model, m.config.arch, m.config.context, layout));
    say(fmt::format("kernels: {}; {}", running_.kernels, counted(running_.threads, "thread")));
    for (const std::string& notice : m.config.notices) say("note: " + notice);
    for (const std::string& notice : notices_) say("note: " + notice);
    if (!m.has_i2_s && (options_.layout || options_.find_layout))
      say("note: --layout does nothing: no weights of this model are I2_S");
    if (options_.sampler.temperature == 0 && options_.choices_given)
      say("note: --top-k, --top-p and --seed change nothing at temperature 0: give --temp");
    if (context_ > m.config.context) {
      say(fmt::format("note: context of {} positions, but the model was made for {}: text beyond may be nonsense",
                      context_, m.config.context));
    }
  }

  std::vector<int32_t> stops() const {
    std::vector<int32_t> out;
    if (const text::Tokenizer* t = model_.tokenizer()) {
      for (const auto& id : {t->eos(), t->eot()}) {
        if (id) out.push_back(*id);
      }
      return out;
    }
    for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"}) {
      const gguf::Value* value = model_.file().value(key);
      const auto id = value == nullptr ? std::nullopt : gguf::as<uint32_t>(*value);
      if (id && *id < static_cast<uint64_t>(model_.model().config.vocab)) out.push_back(static_cast<int32_t>(*id));
    }
    return out;
  }

  engine::Generated generate(const std::vector<int32_t>& prompt, std::optional<TraceFile>& trace) {
    engine::GenerateOptions how;
    how.tokens = options_.tokens;
    how.context = context_;
    how.stops = stops();
    how.stop = &g_interrupted;
    if (trace) how.trace = [&trace](const engine::TraceStep& step) { trace->write(step); };
    engine::Sampler sampler(options_.sampler);
    Answer answer(model_.tokenizer(), options_.special);
    try {
      const engine::Generated done =
          engine::generate(*running_.engine, sampler, prompt, how, [&answer](int32_t id) { return answer.token(id); });
      answer.end(done.end == engine::End::stop);
      closed_ = answer.closed();
      return done;
    } catch (const engine::SampleError& e) {
      throw UserError(kExitBadFile, fmt::format("{}: {}; `--kernels golden` tells whether the model or a kernel is bad",
                                                options_.model, e.what()));
    } catch (const engine::ModelError& e) {
      throw UserError(kExitBadFile, fmt::format("{}: {}", options_.model, e.what()));
    } catch (const text::Error& e) {
      throw UserError(kExitBadFile, fmt::format("{}: {}", options_.model, e.what()));
    }
  }

  void report(const engine::Generated& done) const {
    const auto line = [](const char* what, int64_t tokens, int64_t steps, double seconds) {
      const std::string rate =
          steps > 0 && seconds > 0 ? fmt::format(", {:.1f} tokens/s", static_cast<double>(steps) / seconds) : "";
      say(fmt::format("{}: {} in {}{}", what, counted(tokens, "token"), duration(seconds), rate));
    };
    line("prompt", done.prompt_tokens, done.prompt_tokens, done.prompt_seconds);
    // the last token is not run any more
    line("text", done.tokens, done.tokens - 1, done.seconds);
    say("end: " + reason(done.end));
  }

  std::string reason(engine::End end) const {
    switch (end) {
      case engine::End::stop:
        return "the model ended the text";
      case engine::End::tokens:
        return fmt::format("{} as asked for", counted(*options_.tokens, "token"));
      case engine::End::context:
        return fmt::format("context of {} tokens is full", context_);
      case engine::End::asked:
        break;
    }
    return closed_ ? "nobody reads standard output any more" : "interrupted";
  }

  const RunModelOptions& options_;
  OpenModel model_;
  std::vector<Kernel> registry_ = kernels_and_bugs();
  engine::Started running_;
  int64_t context_ = 0;
  std::vector<std::string> notices_;
  bool closed_ = false;
};

}  // namespace

int run_model_command(const CommandLine& line) {
  RunModelOptions options = line.run;
  if (options.engine.isa.empty() && options.engine.kernels != "golden") options.engine.isa = line.options.isa;
  return RunModel(options).run();
}

}  // namespace tritcheck::cli
