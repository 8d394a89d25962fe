#include "harness/paris/layout_score.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/golden/golden.h"
#include "engine/text/tokenizer.h"
#include "engine/verdict/metrics.h"
#include "harness/base/console.h"
#include "harness/base/error.h"
#include "harness/models/open_model.h"
#include "harness/paris/prompts.h"

namespace tritcheck {
namespace {

constexpr double kBetterThanNothing = 1;  // nats below ln V
constexpr double kBetterThanOthers = 1;

}  // namespace

std::string LayoutAnswer::text() const {
  if (layout) return fmt::format("packed as {}", i2_s::name(*layout));
  return "cannot tell: no reading makes a model that finds the texts likely (random weights, or another language?)";
}

double mean_nll(engine::Engine& engine, const text::Tokenizer& tokenizer, const std::vector<std::string>& texts) {
  double sum = 0;
  double tokens = 0;
  for (const std::string& t : texts) {
    const std::vector<int32_t> ids = tokenizer.encode(t);
    if (ids.size() < 2) continue;
    sum += engine::nll(engine, ids);
    tokens += static_cast<double>(ids.size() - 1);
  }
  if (tokens == 0) throw UserError(kExitUsage, "the text is too short: at least two tokens are needed");
  return std::isfinite(sum) ? sum / tokens : INFINITY;
}

LayoutAnswer score_layouts(const std::string& path, const gguf::File& file, const std::vector<std::string>& texts,
                           int threads, GoldenWork* work) {
  LayoutAnswer answer;
  reading_model(path, [&] {
    const text::Tokenizer tokenizer(file);
    const std::vector<std::string>& all = texts.empty() ? reference_texts() : texts;
    if (work != nullptr) {
      int64_t tokens = 0;
      for (const std::string& t : all) tokens += static_cast<int64_t>(tokenizer.encode(t).size());
      const auto readings = static_cast<int64_t>(std::size(i2_s::kLayouts));
      work->expect(readings * static_cast<int64_t>(all.size()), readings * tokens);
    }
    for (i2_s::Layout layout : i2_s::kLayouts) {
      LayoutScore score{layout, "", INFINITY};
      // a layout whose multiples the shapes do not have cannot be the file's
      for (const gguf::I2sSlice& s : gguf::i2_s_slices(file)) {
        if (const auto why = i2_s::why_illegal(layout, s.shape); why && score.illegal.empty()) score.illegal = *why;
      }
      if (score.illegal.empty()) {
        const engine::Model model = engine::load(file, {.layout = layout});
        answer.log_vocab = std::log(static_cast<double>(model.config.vocab));
        engine::GoldenOptions options{.threads = threads};
        if (work != nullptr) options.layer_done = work->layer_done(model.layers.size());
        engine::Golden golden(model, options);
        score.nll = mean_nll(golden, tokenizer, all);
      }
      answer.scores.push_back(score);
    }
  });
  const auto best = std::min_element(answer.scores.begin(), answer.scores.end(),
                                     [](const auto& a, const auto& b) { return a.nll < b.nll; });
  bool clear = best->nll < answer.log_vocab - kBetterThanNothing;
  for (const LayoutScore& s : answer.scores) clear = clear && (&s == &*best || s.nll >= best->nll + kBetterThanOthers);
  if (clear) answer.layout = best->layout;
  return answer;
}

std::string layout_advice(const std::string& program, const std::string& path, i2_s::Layout layout) {
  if (layout == i2_s::Layout::x86_128) return "";
  return fmt::format(
      "packed as {0}; canonical readers will produce salad; `{1} repack {2} OUT --from {0} --layout x86_128`",
      i2_s::name(layout), program, printable(path));
}

std::string layout_text(const LayoutAnswer& answer, const std::string& program, const std::string& path) {
  std::string out = "layout\n";
  for (const LayoutScore& s : answer.scores) {
    out += s.illegal.empty() ? fmt::format("  {:9} {:8.3f} nats per token\n", i2_s::name(s.layout), s.nll)
                             : fmt::format("  {:9} impossible: {}\n", i2_s::name(s.layout), s.illegal);
  }
  out += fmt::format("  chance is ln V = {:.3f}\n  {}\n", answer.log_vocab, answer.text());
  if (answer.layout) {
    if (const std::string advice = layout_advice(program, path, *answer.layout); !advice.empty())
      out += "  " + advice + "\n";
  }
  return out;
}

}  // namespace tritcheck
