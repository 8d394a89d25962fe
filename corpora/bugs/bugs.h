// The museum: broken kernels, each a re-creation in our own code of a bug that was reported in public. They live in a
// registry of their own, and every one of them must be caught, by name, by a default run.
#pragma once

#include <vector>

#include "kernels/kernel.h"

namespace tritcheck {

/// A broken kernel. Its contract is the one it pretends to keep.
struct Bug {
  Kernel kernel;
  std::string_view diagnosis;  ///< the one name the harness must give it, as in `tritcheck explain`
  std::string_view summary;    ///< what is wrong, in one line
};

/// Every broken kernel of bugs.inc, absent ones included.
std::span<const Bug> bugs();

/// kernels(), and behind them the broken ones.
std::vector<Kernel> kernels_and_bugs();

}  // namespace tritcheck
