// From failures to a name. Diagnosis never sees the kernel's name: it works from the contract, the failures and what
// the kernel answers to further questions, and it names a cause only if that cause reproduces the answers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/diagnose/suspect.h"

namespace tritcheck {

struct Diagnosis {
  std::string name = "unknown";
  std::string sentence;
  std::vector<std::string> evidence;
  size_t based_on = 0;  ///< index of the failure it explains
};

/// Names the cause of these failures (at least one).
Diagnosis diagnose(const Suspect& suspect, std::span<const Failed> failures);

/// The smallest case, in offsets and strides first, then K, then results, that still fails with the same verdict.
Failed shrink(const Suspect& suspect, const Failed& failure, const Prepare& prepare);

/// What is said where the kernel ended its process quietly, forked, or closed what it was called through.
inline constexpr const char* kProcessLost = "the process that called the kernel was lost";

}  // namespace tritcheck
