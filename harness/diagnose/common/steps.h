// The causes that need no arithmetic, the same for every operation and format.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "harness/diagnose/common/diagnosis.h"
#include "harness/diagnose/common/suspect.h"

namespace tritcheck {

/// Where a wild address came from, if the kernel's answers in roomy memory tell.
using WildAddress = std::function<Found(const Suspect&, const Failed&)>;

/// It hangs, dies without having touched a guard page, or took its process with it: hang, crash, illegal-instruction,
/// null-call, misaligned, input-written, or what `wild` says.
Found hang_or_death(const Suspect& suspect, std::span<const Failed> failures, const WildAddress& wild);
/// The same call, with another in between, gives different results: nondeterministic.
Found unsteady(const Suspect& suspect, std::span<const Failed> failures);
/// It touches what is not its own, leaves results out, or depends on more than its operands: over-read, over-write,
/// input-written, clobbered-state, unwritten, and what find_dependence() names.
Found misuse(const Suspect& suspect, const Failed& failure);

/// The results of a call among its output words, without what nobody promises.
std::vector<uint32_t> results_of(const Problem& problem, const Expectation& expected,
                                 const std::vector<uint32_t>& words);
/// "first at K = 256, n = 1".
std::string first_at(const Failed& failure);

}  // namespace tritcheck
