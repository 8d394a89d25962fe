// All cases of one kernel on one worker.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/diagnose/diagnose.h"
#include "harness/verify.h"

namespace tritcheck {

/// Cases of one family, and how to make their problems.
struct CaseSet {
  std::string family;
  std::vector<Case> cases;
};
using MakeProblem = std::function<Problem(const Case&)>;

/// Runs the sets in order and fills cases, families, verdict, skipped_cases and failure (diagnosed and shrunk unless
/// options.diagnose is off). `repro` makes the command line for a case. Stops early when interrupted, after a hang,
/// after three crashes, and in a family that has failed often enough.
void run_kernel(Executor& executor, uint32_t kernel, const Contract& contract, const std::vector<CaseSet>& sets,
                const MakeProblem& make, const VerifyOptions& options, bool guarded,
                const std::function<std::string(const Case&)>& repro, KernelReport& report);

}  // namespace tritcheck
