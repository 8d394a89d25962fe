// A model file made ready to run in this process.
//
//   const OpenModel model("m.gguf", {});
//   const std::vector<Kernel> registry(kernels().begin(), kernels().end());
//   const engine::Started running = start_engine(model.model(), {.kernels = "avx2"}, registry);
//   running.engine->forward(model.tokenizer()->encode("The capital of France is"), ...);
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model.h"
#include "engine/start.h"
#include "engine/text/tokenizer.h"
#include "harness/base/error.h"
#include "harness/base/mapped_file.h"
#include "kernels/kernel.h"

namespace tritcheck {

/// What `read` returns. What is wrong with the file becomes UserError(kExitBadFile), one line that begins with the
/// path.
template <class Read>
auto reading_model(const std::string& path, Read read) {
  const auto refuse = [&](const std::exception& e) { return UserError(kExitBadFile, path + ": " + e.what()); };
  try {
    return read();
  } catch (const gguf::Error& e) {
    throw refuse(e);
  } catch (const engine::ModelError& e) {
    throw refuse(e);
  } catch (const text::Error& e) {
    throw refuse(e);
  }
}

class OpenModel {
 public:
  /// Maps and checks the file; its I2_S tensors are read in `layout`, by default x86_128. Throws
  /// UserError(kExitBadFile) with one line that begins with the path.
  OpenModel(const std::string& path, std::optional<Layout> layout);
  /// The same with a layout that depends on the file; asked only if that has I2_S tensors.
  using ChooseLayout = std::function<std::optional<Layout>(const gguf::File&)>;
  OpenModel(const std::string& path, const ChooseLayout& choose);
  OpenModel(const OpenModel&) = delete;
  OpenModel& operator=(const OpenModel&) = delete;

  const std::string& path() const { return mapped_.path(); }
  const gguf::File& file() const { return file_; }
  const engine::Model& model() const { return model_; }
  /// Null if the file's kind of tokeniser is not ours; why_no_text() then says why, in one line.
  const text::Tokenizer* tokenizer() const { return tokenizer_.get(); }
  const std::string& why_no_text() const { return why_no_text_; }
  /// As MappedFile::check_unchanged().
  void check_unchanged() const { mapped_.check_unchanged(); }

 private:
  MappedFile mapped_;
  gguf::File file_;
  engine::Model model_;
  std::unique_ptr<text::Tokenizer> tokenizer_;
  std::string why_no_text_;
};

/// engine::start(), with UserError(kExitUsage) for what it refuses, and for an allow-list with golden, which runs no
/// kernel.
engine::Started start_engine(const engine::Model& model, const engine::EngineChoice& choice,
                             std::span<const Kernel> registry);

}  // namespace tritcheck
