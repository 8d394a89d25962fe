// The probe families for functions of libraries: the same ideas as harness/probes.h, on blocks with scales.
//
//   F4 shapes      F1 one-hot activations   F5 all byte values     F7 sums       F8 pairwise extremes
//   F6 scales      F9 special scales        F10 rounding ties      F11 memory    F2 extremes             random
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "harness/base/options.h"
#include "harness/foreign/case.h"

namespace tritcheck::foreign {

struct Family {
  std::string_view id;
  std::string_view title;
  std::vector<Case> (*generate)(const KernelInfo& function, Level level, uint64_t seed);

  /// What the family asks of that function.
  std::vector<Case> cases(const KernelInfo& function, Level level, uint64_t seed) const;
};

/// In the order they run. A family that has nothing to ask of a function gives no case.
std::span<const Family> families();

}  // namespace tritcheck::foreign
