// Results that depend on what the output held before the call.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "harness/executor.h"

namespace tritcheck {

/// Makes the call in roomy memory, each time with other words in the output: 0, the bits of 1024.0F and a NaN. Says
/// what came of it if the results (those words of the output) are not the same three times; nothing if they are, or if
/// a call did not return.
std::optional<std::string> old_output_counts(Executor& executor, CallRequest request, std::span<const size_t> results);

}  // namespace tritcheck
