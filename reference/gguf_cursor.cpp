#include "reference/gguf_cursor.h"

#include "reference/gguf.h"

namespace tritcheck::gguf {

std::string Cursor::field_name(std::string_view field) const {
  if (section_.empty()) return std::string(field);
  const std::string owner =
      name_.data() == nullptr ? "[" + std::to_string(index_) + "]" : " \"" + printable(name_) + "\"";
  return std::string(section_) + owner + " " + std::string(field);
}

void Cursor::fail(std::string_view field, uint64_t offset, const std::string& problem) const {
  throw Error(field_name(field), offset, problem);
}

std::span<const uint8_t> Cursor::take(uint64_t size, std::string_view field) {
  if (size > left()) {
    fail(field, offset(),
         "the file ends inside it (" + std::to_string(size) + " bytes needed, " + std::to_string(left()) + " left)");
  }
  const auto out = bytes_.subspan(at_, static_cast<size_t>(size));
  at_ += static_cast<size_t>(size);
  return out;
}

uint64_t Cursor::number(uint64_t size, std::string_view field) {
  uint64_t value = 0;
  uint64_t shift = 0;
  for (uint8_t byte : take(size, field)) {
    value |= uint64_t{byte} << shift;
    shift += 8;
  }
  return value;
}

uint64_t Cursor::count(uint64_t limit, uint64_t least, std::string_view field) {
  const uint64_t at = offset();
  const uint64_t n = u64(field);
  if (n > limit) fail(field, at, std::to_string(n) + " is beyond the limit of " + std::to_string(limit));
  if (n > left() / least) {
    fail(field, at,
         std::to_string(n) + " of at least " + std::to_string(least) + (least == 1 ? " byte" : " bytes") +
             " each do not fit the " + std::to_string(left()) + " bytes left");
  }
  return n;
}

std::string_view Cursor::string(uint64_t limit, std::string_view field) {
  const uint64_t length = count(limit, 1, field);
  const auto raw = take(length, field);
  // not nullptr even if empty: an empty name is a name
  return length == 0 ? std::string_view("", 0)
                     : std::string_view(reinterpret_cast<const char*>(raw.data()), raw.size());
}

ValueType Cursor::value_type(std::string_view field) {
  const uint64_t at = offset();
  const uint32_t type = u32(field);
  if (type >= kValueTypes) fail(field, at, std::to_string(type) + " is no value type (0 to 12)");
  return static_cast<ValueType>(type);
}

Value Cursor::value(ValueType type, int depth) {
  Value out;
  out.type = type;
  out.offset = offset();
  if (type == ValueType::string) {
    out.text = string(kMaxStringBytes, "string");
  } else if (type == ValueType::array) {
    if (depth == kMaxArrayDepth) {
      fail("array", offset(), "arrays are nested more than " + std::to_string(kMaxArrayDepth) + " deep");
    }
    out.element_type = value_type("element type");
    const uint64_t least = least_bytes(out.element_type);
    out.count = count(kMaxArrayElements, least, "array count");
    const size_t begin = at_;
    if (out.element_type == ValueType::string || out.element_type == ValueType::array) {
      for (uint64_t i = 0; i < out.count; ++i) value(out.element_type, depth + 1);
    } else {
      take(out.count * least, "array");
    }
    out.payload = bytes_.subspan(begin, at_ - begin);
  } else {
    out.bits = number(least_bytes(type), "value");
  }
  return out;
}

}  // namespace tritcheck::gguf
