// One call against what was expected of it.
#pragma once

#include <optional>
#include <vector>

#include "harness/base/run_report.h"
#include "harness/problem.h"

namespace tritcheck {

struct Judgement {
  Verdict verdict = Verdict::pass;
  std::vector<int32_t> wrong;  ///< indices of results that are wrong, unwritten or nondeterministic
  std::vector<double> got;     ///< the n results of run A; empty if the call did not return
};

/// The worst thing that happened, in the order crash, timeout, over_write, clobbered, unwritten, nondeterministic,
/// mismatch.
/// A fault at the guard page of an input is over_read, at the output's over_write; every other signal is a crash.
Judgement judge(const Problem& problem, const std::vector<double>& expected, const CallResult& result);

/// The verdict of a call that returned, and `wrong` narrowed to what it is about. `stray`: something was written that
/// was not the call's own; j.wrong holds the wrong results, of which some were never written, or differ between the
/// runs.
void settle(Judgement& j, bool stray, const CallResult& result, std::vector<int32_t> unwritten,
            std::vector<int32_t> differing);

/// The verdict of a call that did not return; nothing if it did.
std::optional<Verdict> verdict_of_end(const CallResult& result);

}  // namespace tritcheck
