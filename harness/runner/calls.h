// Executes call requests: places the buffers, runs the kernel once or twice, and compares what it left behind.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/protocol/executor.h"
#include "harness/runner/invoke.h"
#include "harness/runner/watch.h"

namespace tritcheck {

class Caller {
 public:
  /// Kernels in the order of WorkerInfo::kernels, with the reason why one cannot run here (empty if it can).
  struct Entry {
    Kernel kernel;
    std::string why_not;
    Function function = {};  ///< of a library, instead of the kernel
  };
  explicit Caller(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  /// Runs one request; `weights` and `activations` are its data. The result is valid until the next call. Ends the
  /// runner if the request makes no sense.
  const CallResult& call(uint32_t sequence, const CallRequest& request, std::span<const uint8_t> weights,
                         std::span<const int8_t> activations);

 private:
  struct Inputs {
    std::span<const uint8_t> weights;
    std::span<const int8_t> activations;
  };
  void run(uint32_t sequence, Run which, const Entry& entry, const CallRequest& request, const Inputs& inputs);
  bool same_in_threads(const Entry& entry, const CallRequest& request, const Inputs& inputs) const;
  Regions place(Run which, const Contract& contract, const CallRequest& request, const Inputs& inputs);

  std::vector<Entry> entries_;
  std::array<Arena, 3> guarded_;
  std::array<Arena, 3> roomy_;
  CallResult result_;
};

}  // namespace tritcheck
