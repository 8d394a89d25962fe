// What the look-up tables of TL1 and TL2 share: 16 entries of int16 for a group of weights, whose high bytes and low
// bytes lie apart, so that a byte shuffle finds 16 of them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace tritcheck::tl {

inline constexpr size_t kTableEntries = 16;
inline constexpr size_t kTableBytes = 32;

/// Which sixteen bytes of a table come first: TL1 has the high ones there, TL2 the low ones.
enum class Halves : uint8_t { high_first, low_first };

/// Entry `index` of a table of 32 bytes.
inline void store_entry(std::span<uint8_t> table, Halves halves, size_t index, int entry) {
  const auto bits = static_cast<uint16_t>(entry);
  const size_t high = halves == Halves::high_first ? index : kTableEntries + index;
  const size_t low = halves == Halves::high_first ? kTableEntries + index : index;
  table[high] = static_cast<uint8_t>(bits >> 8);
  table[low] = static_cast<uint8_t>(bits);
}
inline int16_t load_entry(std::span<const uint8_t> table, Halves halves, size_t index) {
  const int first = table[index];
  const int second = table[kTableEntries + index];
  return static_cast<int16_t>(halves == Halves::high_first ? first << 8 | second : second << 8 | first);
}

/// The nine entries w0 * b0 + w1 * b1 of a pair, at index 3 * w0 + w1 + 4. Entries 9..15 stay as they were.
inline void store_pair_entries(std::span<uint8_t> table, Halves halves, int b0, int b1) {
  for (int w0 = -1; w0 <= 1; ++w0) {
    for (int w1 = -1; w1 <= 1; ++w1) {
      store_entry(table, halves, static_cast<size_t>(3 * w0 + w1 + 4), w0 * b0 + w1 * b1);
    }
  }
}

/// What an int16 accumulator holds after it was given this sum: the sum modulo 2^16.
inline int64_t in_int16(int64_t sum) {
  return static_cast<int16_t>(static_cast<uint16_t>(static_cast<uint64_t>(sum)));
}

/// Throws std::domain_error unless index < count: other indices stand for no weights.
inline void require_index(const char* format, size_t index, size_t count, int64_t row, int64_t column) {
  if (index < count) return;
  throw std::domain_error(std::string(format) + ": index " + std::to_string(index) + " at row " + std::to_string(row) +
                          ", column " + std::to_string(column) + "; only 0 to " + std::to_string(count - 1) +
                          " stand for weights");
}

/// Throws std::invalid_argument unless code <= 2.
inline void require_trit(const char* format, int code, int64_t row, int64_t column) {
  if (code <= 2) return;
  throw std::invalid_argument(std::string(format) + " pack: code " + std::to_string(code) + " at row " +
                              std::to_string(row) + ", column " + std::to_string(column) + "; codes go from 0 to 2");
}

/// Throws std::invalid_argument if there are fewer than are needed.
inline void require_enough(const char* format, const char* what, size_t given, int64_t needed) {
  if (given >= static_cast<size_t>(needed)) return;
  throw std::invalid_argument(std::string(format) + ": " + std::to_string(given) + " " + what + "; pass at least " +
                              std::to_string(needed));
}

}  // namespace tritcheck::tl
