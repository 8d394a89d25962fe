// One small product by a library that may not be initialised, or not be able to run here.
#pragma once

#include <optional>

#include "harness/runner/library/library.h"

namespace tritcheck {

/// What its first verifiable vec_dot answers to one block whose product is not zero, asked in a child; nothing if there
/// is none, or if it died.
std::optional<float> smoke(const LoadedLibrary& library);

}  // namespace tritcheck
