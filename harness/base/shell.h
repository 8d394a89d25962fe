// Words for a POSIX shell, so that a line that is printed works when it is pasted.
#pragma once

#include <string>

namespace tritcheck {

/// In single quotes, which only a single quote ends; with control characters in $'...', which bash, zsh and ksh know.
std::string shell_quoted(const std::string& text);
/// In quotes only if it needs them.
std::string shell_word(const std::string& text);

}  // namespace tritcheck
