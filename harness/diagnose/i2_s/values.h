// Wrong numbers of products of I2_S.
#pragma once

#include "harness/diagnose/common/steps.h"

namespace tritcheck::i2_s_steps {

/// Right results in the wrong places.
Found misplaced(const Suspect& suspect, std::span<const Failed> failures);
/// A wrong stride or count, told from the answers in roomy memory.
Found wild_address(const Suspect& suspect, const Failed& failure);
/// What the kernel computes instead, from the outside (rows) to the inside (lanes).
Found wrong_values(const Suspect& suspect, const Failed& failure, std::span<const Failed> failures);

}  // namespace tritcheck::i2_s_steps
