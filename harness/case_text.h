// What the texts of both kinds of cases share: numbers in ranges, and messages that quote any bytes.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

namespace tritcheck {

/// The whole number a text is, in [low, high]; calls `fail` with a sentence, which must not return, if it is none.
template <class T, class Fail>
T case_number(std::string_view key, std::string_view text, T low, T high, Fail fail) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
    fail("'" + std::string(key) + "=" + std::string(text) + "' is not a whole number from " + std::to_string(low) +
         " to " + std::to_string(high));
  }
  return value;
}

/// The text with everything that is no printable ASCII as '?'.
inline std::string plain_ascii(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F) c = '?';
  }
  return text;
}

}  // namespace tritcheck
