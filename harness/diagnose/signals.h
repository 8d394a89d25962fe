// Signals by the names people know.
#pragma once

#include <string_view>

namespace tritcheck {

/// "SIGSEGV"; "a signal" for one that no fault raises. (sigabbrev_np would do, but is glibc only.)
std::string_view name_of_signal(int signal);

}  // namespace tritcheck
