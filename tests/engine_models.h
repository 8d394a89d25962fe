// The shipped models, loaded, for the tests of the engines.
#pragma once

#include <algorithm>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/fast/fast.h"
#include "engine/text/tokenizer.h"
#include "engine/verdict/metrics.h"
#include "harness/base/mapped_file.h"
#include "kernels/features.h"

namespace tritcheck::engine {

/// The layout that the file's name states; x86_128 if none.
inline i2_s::Layout layout_in(const std::string& name) {
  for (i2_s::Layout l : i2_s::kLayouts) {
    if (name.find("." + std::string(i2_s::name(l))) != std::string::npos) return l;
  }
  return i2_s::Layout::x86_128;
}

/// "paris-b-i2_s.arm_64" and what it holds.
struct ShippedModel {
  explicit ShippedModel(const std::string& name)
      : mapped(TRITCHECK_SOURCE_DIR "/corpora/models/" + name + ".gguf"),
        file(gguf::parse(mapped.bytes())),
        model(load(file, {.layout = layout_in(name)})),
        tokenizer(file) {
    std::ifstream in(TRITCHECK_SOURCE_DIR "/corpora/models/" + name.substr(0, 7) + "-golden.json");
    json = nlohmann::json::parse(in);
  }

  MappedFile mapped;
  gguf::File file;
  Model model;
  text::Tokenizer tokenizer;
  nlohmann::json json;  ///< what an independent float64 implementation made of it
};

/// The fast engine on the usual kernels.
inline Fast fast(const Model& model, const std::string& kernels = "auto", int threads = 2, Act act = Act::automatic) {
  return Fast(model, {.threads = threads,
                      .plan = plan_kernels(kernels, model.layout, detect(), {}, tritcheck::kernels()),
                      .act = act});
}

/// The logits of the last token.
inline std::vector<double> last_logits(Engine& engine, std::span<const int32_t> ids) {
  std::vector<double> out;
  engine.forward(
      ids, [&](int64_t, std::span<const double> l) { out.assign(l.begin(), l.end()); },
      static_cast<int64_t>(ids.size()) - 1);
  return out;
}

/// The logits of all tokens, one row each.
inline std::vector<std::vector<double>> all_logits(Engine& engine, std::span<const int32_t> ids) {
  std::vector<std::vector<double>> out;
  engine.forward(ids, [&](int64_t, std::span<const double> l) { out.emplace_back(l.begin(), l.end()); });
  return out;
}

/// Up to `most` tokens after the prompt, the most likely each time, up to and with `end`.
inline std::vector<int32_t> greedy(Engine& engine, std::span<const int32_t> prompt, size_t most, int32_t end) {
  engine.rewind(0);
  std::vector<int32_t> out;
  std::vector<double> logits = last_logits(engine, prompt);
  while (out.size() < most) {
    out.push_back(argmax(logits));
    if (out.back() == end) break;
    logits = last_logits(engine, {&out.back(), 1});
  }
  return out;
}

/// A name that a test may have.
inline std::string test_name(std::string text) {
  for (char& c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return text;
}

}  // namespace tritcheck::engine
