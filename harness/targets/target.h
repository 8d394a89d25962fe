// Targets: where kernels run. "local", "qemu:cortex-a53", "qemu:max,vl=256", "qemu:x86_64/Haswell".
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/interrupt.h"
#include "harness/protocol/executor.h"

namespace tritcheck {

struct Target {
  std::string text;  ///< canonical, as reports print it
  std::string arch;  ///< "x86_64", "aarch64"; empty for local
  bool emulated = false;
  std::vector<std::string> command;  ///< what to put before the runner's path; empty for local
  std::string runner;                ///< path of the runner for this architecture
};

/// Which runner a target is wanted for.
enum class Runner : uint8_t {
  kernels,    ///< the one with tritcheck's own kernels, linked statically
  libraries,  ///< the one that loads other people's, which needs the system's dynamic loader
};

/// Reads a target and checks that its emulator, CPU model and runner are there. Throws UserError(kExitUsage) for text
/// that makes no sense (an unknown scheme, vl= on a CPU without SVE, an impossible length) and UserError(kExitNoDevice)
/// for what is absent (emulator not installed, unknown CPU model, runner not built); each says what to do.
Target resolve_target(const std::string& text, Runner runner = Runner::kernels);
/// All of these, each once. Throws as resolve_target does.
std::vector<Target> resolve_targets(const std::vector<std::string>& texts, Runner runner = Runner::kernels);
/// The architecture its code has: that of the emulated CPU, or this machine's.
std::string arch_of(const Target& target);

/// Targets worth naming in `tritcheck list targets`, with a note whether each can run here.
struct TargetHint {
  std::string text;
  std::string note;  ///< "ready", or why not
};
std::vector<TargetHint> known_targets();

/// Options of the workers of one session.
struct SessionOptions {
  std::vector<std::string> isa;  ///< allow-list handed to the worker's dispatch (`selected`)
  int wall_limit_factor = 10;    ///< a worker silent for this many times the CPU limit is killed
  std::string library = {};      ///< a library to load, for a target resolved for Runner::libraries
};

/// The first start of a worker failed.
class StartFailure : public UserError {
 public:
  StartFailure(const std::string& what, bool died) : UserError(kExitNoDevice, what), died_(died) {}
  /// It was killed by a signal, hung, or ended without a word: not a refusal with a reason.
  bool died() const { return died_; }

 private:
  bool died_;
};

/// Starts a worker (by posix_spawn; no fork of a threaded program) and says hello. Restarts it by itself after a crash
/// or a hang. Not thread-safe: one session per thread. Throws StartFailure if the first start fails.
std::unique_ptr<Executor> open_session(const Target& target, const SessionOptions& options = {});

/// Kills every worker that still lives; safe to call from a signal handler.
void kill_all_workers();

}  // namespace tritcheck
