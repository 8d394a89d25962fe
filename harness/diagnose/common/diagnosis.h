// The result of a diagnosis, and what its steps share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tritcheck {

struct Diagnosis {
  std::string name = "unknown";
  std::string sentence;
  std::vector<std::string> evidence;
  size_t based_on = 0;  ///< index of the failure it explains
};

/// What a step returns: nothing unless its cause, and only it, reproduces what the kernel does.
using Found = std::optional<Diagnosis>;

/// What is said where the kernel ended its process quietly, forked, or closed what it was called through.
inline constexpr const char* kProcessLost = "the process that called the kernel was lost";

/// "0..15, 32..47" for sorted numbers.
std::string ranges(const std::vector<int64_t>& sorted);

}  // namespace tritcheck
