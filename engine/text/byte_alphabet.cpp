#include "engine/text/byte_alphabet.h"

#include <array>

#include "engine/text/utf8.h"

namespace tritcheck::text {
namespace {

constexpr uint32_t kLetters = 0x144;  // code points of the alphabet are below

constexpr bool stands_for_itself(uint32_t byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

// Code point of each byte.
constexpr std::array<uint16_t, 256> kLetterOf = [] {
  std::array<uint16_t, 256> out = {};
  uint16_t next = 0x100;
  for (uint32_t byte = 0; byte < 256; ++byte)
    out[byte] = stands_for_itself(byte) ? static_cast<uint16_t>(byte) : next++;
  return out;
}();

// Byte of each code point, -1 where it stands for none.
constexpr std::array<int16_t, kLetters> kByteOf = [] {
  std::array<int16_t, kLetters> out = {};
  out.fill(-1);
  for (size_t byte = 0; byte < 256; ++byte) out[kLetterOf[byte]] = static_cast<int16_t>(byte);
  return out;
}();

}  // namespace

std::string to_alphabet(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const unsigned letter = kLetterOf[static_cast<uint8_t>(c)];
    if (letter < 0x80) {
      out += static_cast<char>(letter);
    } else {
      out += static_cast<char>(0xC0U | letter >> 6);
      out += static_cast<char>(0x80U | (letter & 0x3FU));
    }
  }
  return out;
}

std::optional<std::string> from_alphabet(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const utf8::Front next = utf8::front(text);
    if (next.kind != utf8::Kind::whole) return std::nullopt;
    const uint32_t letter = utf8::code_point(text.substr(0, next.bytes));
    if (letter >= kLetters || kByteOf[letter] < 0) return std::nullopt;
    out += static_cast<char>(kByteOf[letter]);
    text.remove_prefix(next.bytes);
  }
  return out;
}

}  // namespace tritcheck::text
