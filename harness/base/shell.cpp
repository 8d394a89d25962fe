#include "harness/base/shell.h"

#include <fmt/format.h>

#include <algorithm>

namespace tritcheck {

std::string shell_quoted(const std::string& text) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (std::ranges::any_of(text, control)) {
    // such a character would not survive the report
    std::string out = "$'";
    for (const char c : text) {
      if (control(c)) {
        out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
      } else {
        out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
      }
    }
    return out + "'";
  }
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string shell_word(const std::string& text) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@";
  return text.find_first_not_of(kPlain) == std::string::npos ? text : shell_quoted(text);
}

}  // namespace tritcheck
