#include "harness/report/xml.h"

#include <fmt/format.h>

namespace tritcheck {
namespace {

unsigned byte_at(std::string_view text, size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// Length of the character that begins at i if it is well-formed UTF-8 and allowed in XML 1.0 (production Char), else 0.
size_t legal_character(std::string_view text, size_t i) {
  const unsigned lead = byte_at(text, i);
  if (lead < 0x80) return lead >= 0x20 || lead == '\t' || lead == '\n' || lead == '\r' ? 1 : 0;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() - i < length) return 0;
  unsigned code = lead & (0xFFU >> (length + 1));
  for (size_t j = 1; j < length; ++j) {
    if ((byte_at(text, i + j) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte_at(text, i + j) & 0x3F);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return overlong || surrogate || code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF ? 0 : length;
}

std::string escaped(std::string_view text, bool attribute) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t length = legal_character(text, i);
    const char c = text[i];
    if (length == 0) {
      out += fmt::format("\\x{:02x}", byte_at(text, i));
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (attribute && c == '"') {
      out += "&quot;";
    } else if (c == '\r' || (attribute && (c == '\n' || c == '\t'))) {
      out += fmt::format("&#{};", byte_at(text, i));
    } else {
      out += text.substr(i, length);
    }
    i += length == 0 ? 1 : length;
  }
  return out;
}

}  // namespace

std::string xml_attribute(std::string_view text) {
  return escaped(text, true);
}
std::string xml_content(std::string_view text) {
  return escaped(text, false);
}

}  // namespace tritcheck
