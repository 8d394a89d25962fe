// What else than its operands the result of a call depends on.
#pragma once

#include <functional>
#include <vector>

#include "harness/diagnose/common/diagnosis.h"
#include "harness/protocol/executor.h"

namespace tritcheck {

/// A call whose results should be a function of its operands.
struct DoubtfulCall {
  CallRequest request;  ///< guarded or not, as it failed
  CallResult seen;      ///< what it gave then
  /// The results among the words of the output, without what nobody promises.
  std::function<std::vector<uint32_t>(const std::vector<uint32_t>& words)> results;
  bool floats = true;  ///< the results are float32
};

/// Changes one thing at a time in calls that are otherwise the same, in the same memory: nothing at all, what the
/// output held before, what registers and stack held, what lies behind the operands. The first that changes the results
/// is the answer; where none does, it is other threads, if the call was one of several, or the place of the buffers.
/// The name is nondeterministic, output-read, uninitialised, over-read, race or, for the place of the buffers, unknown.
Diagnosis find_dependence(Executor& executor, const DoubtfulCall& call);

}  // namespace tritcheck
