// tritcheck-bench --lib PATH: our dot products of ternary blocks beside those of a ggml library, on the same data in
// the same process.
#pragma once

#include <string>

#include "kernels/features.h"

namespace tritcheck::bench {

/// Prints a table of ratios. Both sides are verified first; what is wrong is not timed. Returns an exit code of
/// harness/verify/verify.h.
int compare_with_library(const std::string& path, const Features& features);

}  // namespace tritcheck::bench
