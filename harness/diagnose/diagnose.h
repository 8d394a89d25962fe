// From failures to a name. Diagnosis never sees the kernel's name: it works from the contract, the failures and what
// the kernel answers to further questions, and it names a cause only if that cause reproduces the answers.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/case.h"
#include "harness/judge.h"

namespace tritcheck {

/// A case that failed, with everything known about it.
struct Failed {
  std::string family;
  Case spec;
  Problem problem;
  std::vector<double> expected;
  CallResult result;
  Judgement judgement;
};

/// The kernel under diagnosis and how to ask it.
struct Suspect {
  Executor& executor;
  uint32_t kernel = 0;
  Contract contract;    ///< what the data are; for a kernel forced onto another layout, that layout
  bool guarded = true;  ///< false when the memory protocol was switched off
  bool force = false;
  int timeout_ms = 2000;

  /// The request that puts this problem to the kernel, guarded or in roomy memory, with the suspect's limits.
  CallRequest request(const Problem& problem, std::vector<uint8_t> packed, bool with_guards) const;
  CallRequest request(const Problem& problem) const { return request(problem, packed(problem), guarded); }
};

struct Diagnosis {
  std::string name = "unknown";
  std::string sentence;
  std::vector<std::string> evidence;
  size_t based_on = 0;  ///< index of the failure it explains
};

/// Names the cause of these failures (at least one).
Diagnosis diagnose(const Suspect& suspect, std::span<const Failed> failures);

/// The smallest case, in K first, then results, strides and offsets, that still fails with the same verdict. `make`
/// turns a case into its problem and throws std::invalid_argument where it has none.
Failed shrink(const Suspect& suspect, const Failed& failure, const std::function<Problem(const Case&)>& make);

}  // namespace tritcheck
