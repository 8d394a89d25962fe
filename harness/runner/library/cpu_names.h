// CPU features by the names people give them.
#pragma once

#include <string>

namespace tritcheck {

/// Why code that needs these features ("avx2 fma", "asimddp", blanks between them) cannot run on this CPU: "cpu lacks
/// avx512f", or that a name is not known here; empty if it can.
std::string why_not_on_this_cpu(const std::string& needs);

}  // namespace tritcheck
