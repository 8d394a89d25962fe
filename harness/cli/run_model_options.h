// What `tritcheck run` is asked to do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/generate/sampler.h"
#include "engine/text/chat.h"
#include "harness/models/open_model.h"

namespace tritcheck::cli {

struct RunModelOptions {
  std::string model;                  ///< GGUF path
  std::optional<std::string> prompt;  ///< text, or "-": standard input
  std::vector<int32_t> ids;           ///< the prompt as token ids; empty: it is text
  std::optional<int64_t> tokens;      ///< to generate at most; nothing: as many as there is room for
  std::optional<int64_t> context;     ///< positions; nothing: the model's
  std::optional<Layout> layout;       ///< of its I2_S tensors; nothing: x86_128 is assumed
  bool find_layout = false;           ///< instead: find it by what golden makes of the four readings
  engine::EngineChoice engine;
  bool detect_chat = false;  ///< take the template of the file; else `chat`
  text::ChatTemplate chat = text::ChatTemplate::raw;
  std::string system;    ///< empty: none
  bool no_bos = false;   ///< never begin with bos
  bool special = false;  ///< texts of special tokens in the prompt are those tokens; hidden tokens of the answer show
  engine::SamplerOptions sampler;
  bool choices_given = false;  ///< top_k, top_p or seed
  std::string trace;           ///< file; empty: none
  bool trace_values = false;
};

}  // namespace tritcheck::cli
