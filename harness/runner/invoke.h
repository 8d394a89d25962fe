// One call of one kernel, with registers and stack in a known bad state.
#pragma once

#include "harness/executor.h"

namespace tritcheck {

struct Arguments {
  const uint8_t* weights = nullptr;
  const int8_t* activations = nullptr;
  void* output = nullptr;
};

/// Fills the caller-saved vector registers and the stack below with `poison`, resets the floating-point mode, and calls
/// the kernel with the shape of `request`.
void invoke(const Kernel& kernel, const CallRequest& request, const Arguments& arguments, uint32_t poison);

}  // namespace tritcheck
