#include "engine/text/utf8.h"

namespace tritcheck::text::utf8 {
namespace {

struct Range {
  unsigned low = 0x80;
  unsigned high = 0xBF;
};

// Which bytes may follow the first: four first bytes leave out overlong forms, surrogates and what is above U+10FFFF.
Range second_byte(unsigned first) {
  switch (first) {
    case 0xE0:
      return {0xA0, 0xBF};
    case 0xED:
      return {0x80, 0x9F};
    case 0xF0:
      return {0x90, 0xBF};
    case 0xF4:
      return {0x80, 0x8F};
    default:
      return {};
  }
}

}  // namespace

Front front(std::string_view bytes) {
  const auto byte = [&](size_t i) -> unsigned { return static_cast<uint8_t>(bytes[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {Kind::whole, 1};
  if (first < 0xC2 || first > 0xF4) return {Kind::invalid, 1};
  const size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  Range range = second_byte(first);
  for (size_t i = 1; i < length; ++i) {
    if (i == bytes.size()) return {Kind::cut, i};
    if (byte(i) < range.low || byte(i) > range.high) return {Kind::invalid, i};
    range = {};
  }
  return {Kind::whole, length};
}

uint32_t code_point(std::string_view character) {
  const auto byte = [&](size_t i) -> uint32_t { return static_cast<uint8_t>(character[i]); };
  if (character.size() == 1) return byte(0);
  uint32_t out = byte(0) & (0x7FU >> character.size());
  for (size_t i = 1; i < character.size(); ++i) out = out << 6 | (byte(i) & 0x3FU);
  return out;
}

std::string replace_invalid(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    const Front next = front(bytes);
    out += next.kind == Kind::whole ? bytes.substr(0, next.bytes) : kReplacement;
    bytes.remove_prefix(next.bytes);
  }
  return out;
}

std::string Stream::push(std::string_view bytes) {
  held_ += bytes;
  std::string_view rest = held_;
  std::string out;
  while (!rest.empty()) {
    const Front next = front(rest);
    if (next.kind == Kind::cut) break;
    out += next.kind == Kind::whole ? rest.substr(0, next.bytes) : kReplacement;
    rest.remove_prefix(next.bytes);
  }
  held_.erase(0, held_.size() - rest.size());
  return out;
}

std::string Stream::flush() {
  const bool cut = !held_.empty();
  held_.clear();
  return cut ? std::string(kReplacement) : std::string();
}

}  // namespace tritcheck::text::utf8
