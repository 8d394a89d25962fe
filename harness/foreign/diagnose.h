// From failures of a function of a library to a name, by asking it further questions; and from a failing case to the
// smallest one.
#pragma once

#include <functional>
#include <span>

#include "harness/diagnose/diagnose.h"
#include "harness/foreign/run.h"

namespace tritcheck::foreign {

/// What is said where the function ended its process quietly, forked, or closed what it was called through.
inline constexpr const char* kProcessLost = "the process that called the function was lost";

/// Names the cause of these failures (at least one).
Diagnosis diagnose(const Suspect& suspect, std::span<const Failed> failures);

/// The smallest case, in K first, then rows, strides and offsets, that still fails with the same verdict.
Failed shrink(const Suspect& suspect, const Failed& failure, const Prepare& prepared);

}  // namespace tritcheck::foreign
