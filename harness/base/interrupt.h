// Whether the user wants the run to end. Everything that works for long looks here.
#pragma once

#include <atomic>

namespace tritcheck {

/// Set by a signal handler: the stages stop at the next case, kill their workers and return what they have.
extern std::atomic<bool> g_interrupted;

/// The note of a call that is lost because the user interrupted the run: it says nothing about the kernel.
inline constexpr const char* kInterruptedCall = "interrupted";

}  // namespace tritcheck
