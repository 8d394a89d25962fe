#include "harness/models/open_model.h"

#include <stdexcept>

#include "harness/base/error.h"

namespace tritcheck {
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

engine::Started start_engine(const engine::Model& model, const engine::EngineChoice& choice,
                             std::span<const Kernel> registry) {
  if (choice.kernels == "golden" && !choice.isa.empty())
    throw UserError(kExitUsage, "--isa: golden runs no kernel; leave it out");
  try {
    engine::Started started = engine::start(model, choice, registry);
    if (started.kernels.empty()) started.kernels = "none of ours: the model has no I2_S layer";
    return started;
  } catch (const std::invalid_argument& e) {
    throw UserError(kExitUsage, e.what());
  }
}

}  // namespace tritcheck
