// Signals by the names people know.
#pragma once

#include <string_view>

namespace tritcheck {

/// "SIGSEGV"; "a signal" for one that the runner does not report. (sigabbrev_np would do, but is glibc only.)
std::string_view name_of_signal(int signal);

}  // namespace tritcheck
