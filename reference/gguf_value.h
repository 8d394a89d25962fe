// Typed metadata values of a GGUF file, as views into the file's bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tritcheck::gguf {

/// A malformed file. what() is one line: "<field> at byte <offset>: <what is wrong>", names from the file escaped.
class Error : public std::runtime_error {
 public:
  Error(std::string field, uint64_t offset, const std::string& problem)
      : std::runtime_error(field + " at byte " + std::to_string(offset) + ": " + problem),
        field_(std::move(field)),
        offset_(offset) {}
  const std::string& field() const { return field_; }
  uint64_t offset() const { return offset_; }

 private:
  std::string field_;
  uint64_t offset_;
};

/// Text from a file, safe to print on one line: control characters, quotes, backslashes and what is not UTF-8 become
/// \xNN; longer than `limit` bytes it is cut and ends in "...".
std::string printable(std::string_view text, size_t limit = 80);

/// The numbers are those of the format.
enum class ValueType : uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };
inline constexpr uint32_t kValueTypes = 13;

/// "u8" ... "f64", "bool", "string", "array".
std::string_view name(ValueType type);
/// Bytes of one stored value: 1, 2, 4 or 8; for string and array the least an element can take, 8 and 12.
uint64_t least_bytes(ValueType type);

/// One value. What its type says decides which members mean something; as<T>() asks.
struct Value {
  ValueType type = ValueType::u8;
  uint64_t offset = 0;                     ///< byte of the file at which it begins
  uint64_t bits = 0;                       ///< numbers and bool: the stored bytes, zero-extended
  std::string_view text;                   ///< string
  ValueType element_type = ValueType::u8;  ///< array
  uint64_t count = 0;                      ///< array: number of elements
  std::span<const uint8_t> payload;        ///< array: the elements as stored, all checked when the file was read
};

/// The number as an integer: any integer type, sign-extended. Nothing for other types, and for u64 above INT64_MAX.
std::optional<int64_t> as_int64(const Value& value);

/// The value as T, or nothing if it is not one. Integers of any width convert as long as the number fits T; float takes
/// f32 only, double f32 and f64; bool takes bool only (any byte but 0 is true, as in ggml).
template <class T>
std::optional<T> as(const Value& value) {
  if constexpr (std::is_same_v<T, bool>) {
    if (value.type == ValueType::boolean) return value.bits != 0;
  } else if constexpr (std::is_same_v<T, std::string_view>) {
    if (value.type == ValueType::string) return value.text;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (value.type == ValueType::f32) return std::bit_cast<float>(static_cast<uint32_t>(value.bits));
    if constexpr (sizeof(T) == 8) {
      if (value.type == ValueType::f64) return std::bit_cast<double>(value.bits);
    }
  } else {
    static_assert(std::is_integral_v<T>, "as<T>: T is bool, an integer, float, double or std::string_view");
    if (value.type == ValueType::u64 && std::in_range<T>(value.bits)) return static_cast<T>(value.bits);
    const std::optional<int64_t> number = as_int64(value);
    if (number && std::in_range<T>(*number)) return static_cast<T>(*number);
  }
  return std::nullopt;
}

/// The elements of an array one after the other; none for other types.
class Elements {
 public:
  explicit Elements(const Value& array);
  std::optional<Value> next();

 private:
  std::span<const uint8_t> rest_;
  uint64_t offset_;
  uint64_t count_;
  ValueType type_;
};

/// An array as a vector of T; nothing if it is no array or an element is no T.
template <class T>
std::optional<std::vector<T>> array_as(const Value& array) {
  if (array.type != ValueType::array) return std::nullopt;
  std::vector<T> out;
  Elements elements(array);
  while (const std::optional<Value> element = elements.next()) {
    const std::optional<T> item = as<T>(*element);
    if (!item) return std::nullopt;
    out.push_back(*item);
  }
  return out;
}

}  // namespace tritcheck::gguf
