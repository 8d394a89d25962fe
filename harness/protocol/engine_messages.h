// What an engine worker is asked and what it answers: frames of type engine_call and engine_reply (wire.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/fast/fast.h"
#include "harness/protocol/wire.h"

namespace tritcheck::wire {

/// Loads a model and makes an engine of it; comes first.
struct EngineOpen {
  std::string model;  ///< path
  i2_s::Layout layout = i2_s::Layout::x86_128;
  std::string kernels = "auto";  ///< "golden", or as plan_kernels reads it; broken kernels have names too
  uint32_t threads = 1;
  engine::Act act = engine::Act::automatic;
  engine::Fault fault = engine::Fault::none;
  std::vector<std::string> isa;  ///< allow-list
};

/// Runs tokens from that position on.
struct EngineForward {
  int64_t position = 0;
  std::vector<int32_t> ids;
  int64_t first_logits = 0;
};

struct EngineCall {
  enum class Kind : uint8_t { open, forward, step };
  Kind kind = Kind::open;
  EngineOpen open;
  EngineForward forward;
  engine::StepCall step;
};

/// A forward is answered by one `logits` for each token asked for, and `done`; everything else by `done`, `refused` or
/// `error`.
struct EngineReply {
  enum class Kind : uint8_t { done, logits, refused, error };
  Kind kind = Kind::done;
  std::string text;   ///< refused (kernels that are not to be had), error: one line; done, open: the kernels that run
  int64_t index = 0;  ///< logits: the token's index in the call; done, open: kSchema
  std::vector<float> logits;  ///< float32, as the engine computes
  engine::StepResult step;    ///< done, step
};

std::vector<uint8_t> encode(const EngineCall& call);
bool decode(Reader& in, EngineCall& call);
std::vector<uint8_t> encode(const EngineReply& reply);
bool decode(Reader& in, EngineReply& reply);

}  // namespace tritcheck::wire
