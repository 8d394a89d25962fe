// Parts of a case's text: numbers in ranges, names of tensors, and messages that quote any bytes.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
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

inline std::string two_hex_digits(unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  return {kDigits[byte >> 4], kDigits[byte & 15]};
}

/// The byte that the two hex digits at that place spell; nothing if they do not.
inline std::optional<uint8_t> hex_byte_at(std::string_view text, size_t at) {
  unsigned byte = 0;
  if (at + 2 > text.size() ||
      std::from_chars(text.data() + at, text.data() + at + 2, byte, 16).ptr != text.data() + at + 2)
    return std::nullopt;
  return static_cast<uint8_t>(byte);
}

/// Tensor names may hold anything; ':' '=' '%' and control bytes are written as %XX.
inline std::string escaped_name(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && c != ':' && c != '=' && c != '%' && c != '\'' && byte != 0x7F) {
      out += c;
    } else {
      out += '%' + two_hex_digits(byte);
    }
  }
  return out;
}

/// The inverse; calls `fail` with a sentence, which must not return, for a '%' without two hex digits.
template <class Fail>
std::string unescaped_name(std::string_view text, Fail fail) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const auto byte = hex_byte_at(text, i + 1);
    if (!byte) fail("'%' in '" + std::string(text) + "' is not followed by two hex digits");
    out += static_cast<char>(*byte);
    i += 2;
  }
  return out;
}

}  // namespace tritcheck
