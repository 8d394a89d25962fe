// From failures to a name. Diagnosis never sees the kernel's name: it works from the contract, the failures and what
// the kernel answers to further questions, and it names a cause only if that cause reproduces the answers.
//
// The order is the same for all: death; results in the wrong place; answers that change from call to call; wrong
// numbers, from the outside (rows) to the inside (lanes); memory, results left out, and what else the results depend
// on. What a wrong number can come from depends on the data: i2_s/ and blocks/ have the steps for theirs.
#pragma once

#include <span>

#include "harness/diagnose/common/diagnosis.h"
#include "harness/diagnose/common/suspect.h"

namespace tritcheck {

/// Names the cause of these failures (at least one).
Diagnosis diagnose(const Suspect& suspect, std::span<const Failed> failures);

/// The smallest case, in offsets and strides first, then K, then results, that still fails with the same verdict.
Failed shrink(const Suspect& suspect, const Failed& failure, const Prepare& prepare);

}  // namespace tritcheck
