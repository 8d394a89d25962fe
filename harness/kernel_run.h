// All cases of one kernel on one worker.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "harness/base/options.h"
#include "harness/base/run_report.h"
#include "harness/diagnose/diagnose.h"

namespace tritcheck {

/// Cases of one family, and how to make their problems.
struct CaseSet {
  std::string family;
  std::vector<Case> cases;
};
using MakeProblem = std::function<Problem(const Case&)>;

/// The right answers, shared by all kernels of a run: instruction sets, targets and broken twins get the same
/// questions, and the oracles, made to be obvious and not fast, are asked once for each. Any number of threads.
class KnownAnswers {
 public:
  /// expected(problem, packed) of the problem that was made for the case.
  std::vector<double> of(const Case& c, const Problem& problem, std::span<const uint8_t> packed);

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<double>> known_;  // by the case and what a kernel makes of it
};

/// Runs the sets in order and fills cases, families, verdict, skipped_cases and failure (diagnosed and shrunk unless
/// options.diagnose is off). `repro` makes the command line for a case. Stops early when interrupted, after a hang,
/// after three crashes, and in a family that has failed often enough. Without `known` the oracles are asked for each
/// case.
void run_kernel(Executor& executor, uint32_t kernel, const Contract& contract, const std::vector<CaseSet>& sets,
                const MakeProblem& make, const VerifyOptions& options, bool guarded,
                const std::function<std::string(const Case&)>& repro, KernelReport& report,
                KnownAnswers* known = nullptr);

}  // namespace tritcheck
