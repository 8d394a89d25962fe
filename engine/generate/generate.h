// The loop that writes: a prompt in, token after token out.
//
//   Sampler sampler({});
//   const Generated done = generate(engine, sampler, prompt, {.tokens = 40, .context = 256, .stops = {2}},
//                                   [&](int32_t id) { std::cout << detokenizer.push(id); return true; });
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "engine/generate/sampler.h"

namespace tritcheck::engine {

struct GenerateOptions {
  std::optional<int64_t> tokens = {};  ///< to generate at most; nothing: no limit but the context
  int64_t context = 0;  ///< positions, for what the sequence holds already, the prompt and the tokens generated
  std::vector<int32_t> stops = {};          ///< tokens that end the text
  const std::atomic<bool>* stop = nullptr;  ///< once true, nothing more is generated
  Trace trace = {};                         ///< may be empty
};

/// Called with each token as soon as it is chosen, the one that ends the text included. False: no more of them.
using TokenSink = std::function<bool(int32_t id)>;

/// Why it is over. If several hold, the first of them.
enum class End : uint8_t {
  stop,     ///< the model gave one of the stops
  asked,    ///< by the flag or the sink
  tokens,   ///< as many as were wanted
  context,  ///< every position is taken
};

struct Generated {
  End end = End::asked;
  int64_t prompt_tokens = 0;  ///< that the engine has run: all of them unless stopped
  int64_t tokens = 0;         ///< generated. The engine has run all but the last: tokens - 1 steps
  double prompt_seconds = 0;
  double seconds = 0;  ///< of the steps, the sampling and the sink
};

/// Continues the engine's sequence by the prompt, then by one token after the other. The flag is looked at before each
/// token, and before each 64 of the prompt. Throws std::invalid_argument, one line, if the prompt is empty or does not
/// fit into the context, SampleError with the position, and what the engine and the sink throw.
Generated generate(Engine& engine, Sampler& sampler, std::span<const int32_t> prompt, const GenerateOptions& options,
                   const TokenSink& token);

}  // namespace tritcheck::engine
