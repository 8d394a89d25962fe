// One of the two engines, as a user's words choose it: for the program itself and for the runner on a device.
//
//   const engine::Started started = engine::start(model, {.kernels = "avx2"}, registry);
//   started.engine->forward(ids, ...);
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/fast/fast.h"

namespace tritcheck::engine {

struct EngineChoice {
  std::string kernels = "auto";  ///< "golden", or as plan_kernels reads it
  int threads = 0;               ///< 0: one per core
  Act act = Act::automatic;
  std::vector<std::string> isa = {};  ///< allow-list of known names; scalar always stays; empty: all; not for golden
  Fault fault = Fault::none;          ///< ignored but in the test build
};

struct Started {
  std::unique_ptr<Engine> engine;
  Fast* fast = nullptr;  ///< the same, if it is the fast one
  std::string kernels;   ///< that run, as a sentence's part; empty if the model has no I2_S layer for them
  int threads = 1;
};

/// `model` and `registry` must outlive the engine. Throws PlanError for kernels that do not exist or cannot run here,
/// also if the model has no layer for them to run, and for activations that golden does not quantise so.
Started start(const Model& model, const EngineChoice& choice, std::span<const Kernel> registry);

}  // namespace tritcheck::engine
