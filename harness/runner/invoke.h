// One call of one kernel, with registers and stack in a known bad state.
#pragma once

#include "harness/protocol/executor.h"

namespace tritcheck {

/// A function of a library: one of the pointers is set.
struct Function {
  tritcheck_vec_dot_fn* vec_dot = nullptr;
  tritcheck_to_float_fn* to_float = nullptr;
  tritcheck_from_float_fn* from_float = nullptr;
  bool fake_bytes = false;  ///< vec_dot on I2_S: the stride of weight rows counts four times the bytes
  bool present() const { return vec_dot != nullptr || to_float != nullptr || from_float != nullptr; }
};

struct Arguments {
  const uint8_t* weights = nullptr;
  const int8_t* activations = nullptr;
  void* output = nullptr;
};

/// Fills the caller-saved vector registers and the stack below with `poison`, resets the floating-point mode, and calls
/// the kernel with the shape of `request`.
void invoke(const Kernel& kernel, const CallRequest& request, const Arguments& arguments, uint32_t poison);
/// The same for a function of a library. What it converts from is in `weights`.
void invoke(const Function& function, const CallRequest& request, const Arguments& arguments, uint32_t poison);

}  // namespace tritcheck
