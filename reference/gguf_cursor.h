// Internal to the GGUF reader: reads fields one after the other and knows what to call them in an error.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "reference/gguf_value.h"

namespace tritcheck::gguf {

class Cursor {
 public:
  /// `base` is the byte of the file at which `bytes` begins.
  explicit Cursor(std::span<const uint8_t> bytes, uint64_t base = 0) : bytes_(bytes), base_(base) {}

  /// What the following fields belong to: `metadata[3]`, and once the name is read `metadata "general.name"`.
  void enter(std::string_view section, uint64_t index) {
    section_ = section;
    index_ = index;
    name_ = {};
  }
  void set_name(std::string_view name) { name_ = name; }
  void leave() { section_ = {}; }

  uint64_t offset() const { return base_ + at_; }
  uint64_t left() const { return bytes_.size() - at_; }

  uint32_t u32(std::string_view field) { return static_cast<uint32_t>(number(4, field)); }
  uint64_t u64(std::string_view field) { return number(8, field); }
  /// A little-endian number of 1, 2, 4 or 8 bytes.
  uint64_t number(uint64_t size, std::string_view field);
  std::span<const uint8_t> take(uint64_t size, std::string_view field);
  /// Length and bytes; an Error if there are more than `limit`.
  std::string_view string(uint64_t limit, std::string_view field);
  /// A count of things that take at least `least` bytes each: an Error beyond `limit` or what the bytes left can hold.
  uint64_t count(uint64_t limit, uint64_t least, std::string_view field);
  /// A value of this type, arrays with all their elements; `depth` counts the arrays around it.
  Value value(ValueType type, int depth = 0);
  ValueType value_type(std::string_view field);

  std::string field_name(std::string_view field) const;
  [[noreturn]] void fail(std::string_view field, uint64_t offset, const std::string& problem) const;

 private:
  std::span<const uint8_t> bytes_;
  uint64_t base_;
  size_t at_ = 0;
  std::string_view section_;
  uint64_t index_ = 0;
  std::string_view name_;
};

}  // namespace tritcheck::gguf
