#include "reference/gguf_value.h"

#include <algorithm>

#include "reference/gguf_cursor.h"

namespace tritcheck::gguf {
namespace {

// Length of the well-formed UTF-8 sequence at the front (RFC 3629, table of 4), 0 if there is none or it is a control
// character of one or two bytes.
size_t utf8_length(std::string_view s) {
  const auto byte = [&](size_t i) -> unsigned { return i < s.size() ? static_cast<uint8_t>(s[i]) : 0U; };
  const auto tail = [&](size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned b = byte(0);
  const unsigned c = byte(1);
  if (b < 0x80) return b >= 0x20 && b != 0x7F ? 1 : 0;
  if (b >= 0xC2 && b <= 0xDF) return tail(1) && (b > 0xC2 || c >= 0xA0) ? 2 : 0;
  if (b >= 0xE0 && b <= 0xEF) {
    return tail(1) && tail(2) && (b != 0xE0 || c >= 0xA0) && (b != 0xED || c < 0xA0) ? 3 : 0;
  }
  if (b >= 0xF0 && b <= 0xF4) {
    return tail(1) && tail(2) && tail(3) && (b != 0xF0 || c >= 0x90) && (b != 0xF4 || c < 0x90) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string printable(std::string_view text, size_t limit) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  size_t i = 0;
  while (i < text.size()) {
    const size_t n = utf8_length(text.substr(i, 4));
    if (i + std::max<size_t>(n, 1) > limit) return out + "...";
    if (n == 0 || text[i] == '"' || text[i] == '\\') {
      const auto b = static_cast<uint8_t>(text[i]);
      out += "\\x";
      out += kDigits[b >> 4];
      out += kDigits[b & 15];
      ++i;
    } else {
      out += text.substr(i, n);
      i += n;
    }
  }
  return out;
}

std::string_view name(ValueType type) {
  constexpr std::string_view kNames[kValueTypes] = {"u8",   "i8",     "u16",   "i16", "u32", "i32", "f32",
                                                    "bool", "string", "array", "u64", "i64", "f64"};
  return kNames[static_cast<uint32_t>(type)];
}

uint64_t least_bytes(ValueType type) {
  constexpr uint64_t kBytes[kValueTypes] = {1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};
  return kBytes[static_cast<uint32_t>(type)];
}

std::optional<int64_t> as_int64(const Value& value) {
  switch (value.type) {
    case ValueType::u8:
    case ValueType::u16:
    case ValueType::u32:
      return static_cast<int64_t>(value.bits);
    case ValueType::i8:
      return static_cast<int8_t>(value.bits);
    case ValueType::i16:
      return static_cast<int16_t>(value.bits);
    case ValueType::i32:
      return static_cast<int32_t>(value.bits);
    case ValueType::i64:
      return static_cast<int64_t>(value.bits);
    case ValueType::u64:
      if (std::in_range<int64_t>(value.bits)) return static_cast<int64_t>(value.bits);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// the array's header, element type and count, is 12 bytes
Elements::Elements(const Value& array)
    : rest_(array.payload),
      offset_(array.offset + 12),
      count_(array.type == ValueType::array ? array.count : 0),
      type_(array.element_type) {}

std::optional<Value> Elements::next() {
  if (count_ == 0) return std::nullopt;
  --count_;
  Cursor cursor(rest_, offset_);
  const Value value = cursor.value(type_);
  rest_ = rest_.last(static_cast<size_t>(cursor.left()));
  offset_ = cursor.offset();
  return value;
}

}  // namespace tritcheck::gguf
