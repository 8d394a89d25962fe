// Well-formed UTF-8 as Unicode defines it (The Unicode Standard, 3.9, table 3-7; RFC 3629): no overlong forms, no
// surrogates, nothing above U+10FFFF.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tritcheck::text::utf8 {

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  ///< U+FFFD

enum class Kind {
  whole,   ///< one well-formed character
  cut,     ///< the bytes end inside a character that is well-formed so far
  invalid  ///< part of no character
};

/// What stands at the front of some bytes, and how many of them it takes.
struct Front {
  Kind kind = Kind::invalid;
  size_t bytes = 0;  ///< whole: 1..4; cut: 1..3; invalid: 1..3, the "maximal subpart", which one U+FFFD replaces
};

/// `bytes` must not be empty.
Front front(std::string_view bytes);

/// The code point of a character that front() calls whole.
uint32_t code_point(std::string_view character);

/// The same text with each invalid or cut part replaced by one U+FFFD (Unicode 3.9, "substitution of maximal subparts",
/// which is also what browsers do).
std::string replace_invalid(std::string_view bytes);

/// The same in portions: what push() returned one after the other, and flush() at last, is replace_invalid() of all
/// that was pushed, whatever the portions. push() holds back a character that is not complete, 3 bytes at most.
class Stream {
 public:
  std::string push(std::string_view bytes);
  /// What is held back, now that nothing follows: U+FFFD or nothing. The stream is then as new.
  std::string flush();

 private:
  std::string held_;
};

}  // namespace tritcheck::text::utf8
