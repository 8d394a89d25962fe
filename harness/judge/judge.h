// One call against what was expected of it.
#pragma once

#include <vector>

#include "harness/base/run_report.h"
#include "harness/cases/problem.h"

namespace tritcheck {

struct Judgement {
  Verdict verdict = Verdict::pass;
  std::vector<int32_t> wrong;  ///< indices of results that are wrong, unwritten or nondeterministic
  std::vector<double> got;     ///< the results of run A; empty if the call did not return
};

/// The worst thing that happened, in the order crash, timeout, over_write, clobbered, unwritten, nondeterministic,
/// mismatch.
/// A fault at the guard page of an input is over_read, at the output's over_write; every other signal is a crash.
/// A result is right if it is within its bound, or, where nothing finite is defined, is not finite either.
Judgement judge(const Problem& problem, const Expectation& expected, const CallResult& result);

/// It came back with right results: what is wrong lies beside them, and a table of them would mislead.
inline bool results_right(const Judgement& j) {
  return j.wrong.empty() && !j.got.empty();
}

}  // namespace tritcheck
