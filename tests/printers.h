// How a failing test shows its parameter: by name, not by its bytes.
#pragma once

#include <ostream>

#include "kernels/kernel.h"

namespace tritcheck {

inline void PrintTo(const Kernel& kernel, std::ostream* out) {
  *out << kernel.name;
}

}  // namespace tritcheck
