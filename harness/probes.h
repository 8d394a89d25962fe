// Probe families: generators that are guaranteed, not likely, to expose a class of bug. A family turns a contract into
// cases; a case's probe turns into a problem.
//
//   F1 one-hot activations   F2 extremes at every overflow bound   F3 one-hot weights against labels
//   F4 shapes                F5 all byte values                    F6 scales all different
//   F7 sums                  F8 pairwise extremes                  F11 memory protocol    random
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/options.h"
#include "harness/case.h"
#include "harness/problem.h"

namespace tritcheck {

struct ProbeFamily {
  std::string_view id;     ///< "F1"
  std::string_view title;  ///< "one-hot activations"
  std::string_view why;    ///< what it is guaranteed to expose
  std::vector<Case> (*generate)(const Contract& contract, Level level, uint64_t seed);

  /// What the family asks of a kernel with that contract: nothing beyond its k_max.
  std::vector<Case> cases(const Contract& contract, Level level, uint64_t seed) const;
};

/// All families, in the order they run.
std::span<const ProbeFamily> probe_families();
/// The family of that id (any case), or null.
const ProbeFamily* find_family(std::string_view id);

/// The problem a case stands for. Throws std::invalid_argument if its shape is illegal for its layout (the caller
/// counts it as a skip), its probe is unknown, or it is a case on real weights (harness/real.h makes those).
Problem make_problem(const Case& c);

/// Where the data of a case come from: its seed mixed with its probe and the numbers that choose data, but not with the
/// shape and the memory parameters. So a smaller shape holds a prefix of the same rows, and shrinking keeps the data.
uint64_t data_seed(const Case& c);

}  // namespace tritcheck
