// Probe families: generators that are guaranteed, not likely, to expose a class of bug. A family turns a kernel's
// contract into cases; a case's probe turns into a problem (harness/cases/problem.h).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "harness/base/options.h"
#include "harness/cases/case.h"
#include "harness/protocol/executor.h"

namespace tritcheck {

struct ProbeFamily {
  using Generate = std::vector<Case> (*)(const KernelInfo& kernel, Level level, uint64_t seed);

  std::string_view id;     ///< "F1"
  std::string_view title;  ///< "one-hot activations"
  std::string_view why;    ///< what it is guaranteed to expose
  Generate of_i2_s;        ///< rows of plain codes; null if it has nothing to ask of them
  Generate of_blocks;      ///< rows of blocks with scales; null likewise

  /// What the family asks of that kernel: nothing beyond its contract's k_max.
  std::vector<Case> cases(const KernelInfo& kernel, Level level, uint64_t seed) const;
};

/// All families, in the order they run.
std::span<const ProbeFamily> probe_families();
/// The family of that id (any case), or null.
const ProbeFamily* find_family(std::string_view id);

}  // namespace tritcheck
