// Wrong numbers of functions on blocks: products, conversions to and from floats.
#pragma once

#include "harness/diagnose/common/steps.h"

namespace tritcheck::block_steps {

/// Two rows at a time: the right results at places of another stride.
Found misplaced(const Suspect& suspect, std::span<const Failed> failures);
/// What the function computes instead. Where it does not know but has measured something, its name is "unknown".
Found wrong_values(const Suspect& suspect, std::span<const Failed> failures);

}  // namespace tritcheck::block_steps
