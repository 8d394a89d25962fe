// Targets: where kernels run. "local", "qemu:cortex-a53", "qemu:max,vl=256", "qemu:x86_64/Haswell".
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/executor.h"

namespace tritcheck {

struct Target {
  std::string text;  ///< canonical, as reports print it
  std::string arch;  ///< "x86_64", "aarch64"; empty for local
  bool emulated = false;
  std::vector<std::string> command;  ///< what to put before the runner's path; empty for local
  std::string runner;                ///< path of the runner for this architecture
};

/// Reads a target and checks that its emulator, CPU model and runner are there. Throws UserError(kExitUsage) for text
/// that makes no sense (an unknown scheme, vl= on a CPU without SVE, an impossible length) and UserError(kExitNoDevice)
/// for what is absent (emulator not installed, unknown CPU model, runner not built); each says what to do.
Target resolve_target(const std::string& text);

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
};

/// Starts a worker (by posix_spawn; no fork of a threaded program) and says hello. Restarts it by itself after a crash
/// or a hang. Not thread-safe: one session per thread. Throws UserError(kExitNoDevice) if the first start fails.
std::unique_ptr<Executor> open_session(const Target& target, const SessionOptions& options = {});

/// Kills every worker that still lives; safe to call from a signal handler.
void kill_all_workers();

}  // namespace tritcheck
