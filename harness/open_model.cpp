#include "harness/open_model.h"

#include <algorithm>
#include <stdexcept>

#include "engine/fast/fast.h"
#include "engine/golden/golden.h"
#include "harness/verify.h"
#include "kernels/dispatch.h"

namespace tritcheck {
namespace {

RunningEngine start_golden(const engine::Model& model, const EngineChoice& choice, int threads) {
  if (choice.act == engine::Act::block)
    throw UserError(kExitUsage, "--act: golden quantises by row or, with none, not at all");
  if (!choice.isa.empty()) throw UserError(kExitUsage, "--isa: golden runs no kernel; leave it out");
  return {std::make_unique<engine::Golden>(
              model, engine::GoldenOptions{.threads = threads, .quantize = choice.act != engine::Act::none}),
          "golden, float64 with exact integers", threads};
}

RunningEngine start_fast(const engine::Model& model, const EngineChoice& choice, std::span<const Kernel> registry,
                         int threads) {
  engine::FastOptions options;
  options.threads = threads;
  options.act = choice.act;
  // read even if no layer needs them: a mistyped name must not pass unnoticed
  options.plan = engine::plan_kernels(choice.kernels, model.layout, detect(), isa_list(choice.isa), registry);
  const std::string text = model.has_i2_s ? options.plan.text() : "none of ours: the model has no I2_S layer";
  return {std::make_unique<engine::Fast>(model, options), text, threads};
}

}  // namespace

OpenModel::OpenModel(const std::string& path, std::optional<Layout> layout)
    : OpenModel(path, [layout](const gguf::File&) { return layout; }) {}

OpenModel::OpenModel(const std::string& path, const ChooseLayout& choose) : mapped_(path) {
  reading_model(path, [&] {
    file_ = gguf::parse(mapped_.bytes());
    const bool has_layout = !gguf::i2_s_slices(file_).empty();
    model_ = engine::load(file_, {.layout = (has_layout ? choose(file_) : std::nullopt).value_or(Layout::x86_128)});
    why_no_text_ = text::why_no_text(file_).value_or("");
    if (why_no_text_.empty()) tokenizer_ = std::make_unique<text::Tokenizer>(file_);
  });
}

RunningEngine start_engine(const engine::Model& model, const EngineChoice& choice, std::span<const Kernel> registry) {
  const int threads = choice.threads > 0 ? choice.threads : engine::one_per_core();
  try {
    return choice.kernels == "golden" ? start_golden(model, choice, threads)
                                      : start_fast(model, choice, registry, threads);
  } catch (const std::invalid_argument& e) {
    throw UserError(kExitUsage, e.what());
  }
}

}  // namespace tritcheck
