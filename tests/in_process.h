// An executor without a process: a kernel given as a C++ function, for mutants that a test makes up.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "harness/probes/probes.h"
#include "harness/protocol/executor.h"
#include "harness/verify/kernel_run.h"

namespace tritcheck {

/// Computes the output words of one call; words already hold what the output held before.
using Mutant = std::function<void(const CallRequest&, std::vector<uint32_t>& words)>;

class InProcess : public Executor {
 public:
  explicit InProcess(Mutant mutant) : mutant_(std::move(mutant)) {}
  const WorkerInfo& info() const override { return info_; }
  std::vector<CallResult> run(std::span<const CallRequest> requests) override {
    std::vector<CallResult> out;
    for (const CallRequest& r : requests) {
      CallResult result;
      result.status = CallStatus::returned;
      result.out_a.assign(r.out_words, r.old_output);
      mutant_(r, result.out_a);
      if (r.guarded) {
        result.out_b.assign(r.out_words, kCanaryB);
        mutant_(r, result.out_b);
      }
      out.push_back(std::move(result));
    }
    return out;
  }

 private:
  Mutant mutant_;
  WorkerInfo info_;
};

inline KernelInfo kernel_of(const Contract& contract) {
  KernelInfo k;
  k.contract = contract;
  return k;
}

/// The run of one family, or of all, with its diagnosis.
inline KernelReport examine_on(Executor& executor, uint32_t kernel, const Contract& contract, std::string_view family,
                               Level level, uint64_t seed = 1) {
  const Suspect suspect{executor, kernel, kernel_of(contract)};
  std::vector<CaseSet> sets;
  for (const ProbeFamily& f : probe_families()) {
    if (family.empty() || f.id == family) sets.push_back({std::string(f.id), f.cases(suspect.info, level, seed)});
  }
  Preparations preparations;
  KernelReport report;
  run_kernel(
      suspect, sets, VerifyOptions{}, preparations, [](const Case& c) { return to_string(c); }, report);
  return report;
}

/// The quick run of a mutant under a contract, with its diagnosis.
inline KernelReport examine(const Contract& contract, Mutant mutant, uint64_t seed = 1) {
  InProcess executor(std::move(mutant));
  return examine_on(executor, 0, contract, "", Level::quick, seed);
}

}  // namespace tritcheck
