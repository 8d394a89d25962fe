// What a call must leave as it found it: callee-saved registers, the stack pointer, the modes of the floating-point
// unit.
#pragma once

#include <cstdint>
#include <string>

namespace tritcheck {

/// A stand-in for the function in `g_preserved_target`, with the same arguments and result: it fills the callee-saved
/// registers with patterns, calls the target, compares, and gives its caller's values back. One call at a time; not for
/// functions that return more than registers hold.
extern "C" void tritcheck_preserved_call();
extern "C" void* g_preserved_target;

/// After the call: what was not kept ("rbx, r12", "the rounding mode or the treatment of denormals"); empty if all was.
/// Puts the modes back.
std::string not_preserved();

/// The target through the stand-in, with its own type.
template <class F>
F* preserved(F* target) {
  g_preserved_target = reinterpret_cast<void*>(target);
  return reinterpret_cast<F*>(&tritcheck_preserved_call);
}

}  // namespace tritcheck
