// The candidate: the fast engine in a process of its own, here, under an emulator or on a device. A kernel that crashes
// or hangs ends that process and becomes a CandidateDied here; golden goes on.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/engine.h"
#include "engine/fast/step.h"
#include "harness/protocol/engine_messages.h"
#include "harness/targets/target.h"
#include "harness/targets/worker.h"

namespace tritcheck {

/// The candidate's process ended, or computed for longer than it may. what() is one line.
class CandidateDied : public std::runtime_error {
 public:
  enum class How : uint8_t {
    ended,    ///< crashed, or left
    hung,     ///< took more than its CPU time
    garbled,  ///< sent what is no answer
    stopped,  ///< by us, at an interruption
  };
  CandidateDied(const std::string& what, How how) : std::runtime_error(what), how_(how) {}
  How how() const { return how_; }

 private:
  How how_;
};

class RemoteEngine : public engine::Engine {
 public:
  using Engine::forward;

  /// Starts the target's runner and opens the model in it. Throws UserError: kExitNoDevice if the runner does not
  /// start, kExitBadFile if it cannot load the model, kExitUsage if it does not know the kernels, kExitInterrupted. A
  /// single answer may take `limit_s` seconds of the candidate's CPU time.
  RemoteEngine(const Target& target, const wire::EngineOpen& open, double limit_s);

  /// What runs: "one token i2_s_x86_128_gemv_avx2, several ...".
  const std::string& kernels() const { return kernels_; }

  /// The same in another process, with one thread, or with two if this one has one.
  std::unique_ptr<RemoteEngine> with_other_threads() const;

  /// Throws CandidateDied, and UserError for what the candidate refuses. The trace is not sent.
  void forward(std::span<const int32_t> ids, const engine::LogitsSink& logits, int64_t first_logits,
               const engine::Trace& trace) override;
  /// One step on given inputs. Throws as forward.
  engine::StepResult step(const engine::StepCall& call);

 private:
  void start();
  void send(const wire::EngineCall& call);
  wire::EngineReply receive();

  Target target_;
  wire::EngineOpen open_;
  double limit_s_;
  Worker worker_;
  uint32_t sequence_ = 0;
  std::string kernels_;
};

}  // namespace tritcheck
