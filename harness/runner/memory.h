// Guarded memory: each buffer of a call has an arena with inaccessible memory on both sides, mapped once and reused, so
// that a call costs no system call.
//
//   | no access |        accessible, `capacity` bytes        | no access |
//   run A:                 pattern | region | pad, over-read pattern |
//   run B:  offset pattern | region | pattern
#pragma once

#include <cstddef>
#include <cstdint>

namespace tritcheck {

/// Bytes next to a region that are filled and checked, and the largest permitted offset, alignment and over-read.
inline constexpr size_t kSlack = 4096;

enum class Run : uint8_t { a, b };

/// The bytes of one buffer in the current run: [data, data + size) in an arena that owns [low, high), guards included.
struct Region {
  uint8_t* data = nullptr;
  size_t size = 0;
  uintptr_t low = 0;
  uintptr_t high = 0;
  uint8_t* slack_begin = nullptr;  ///< what surrounds the region: [slack_begin, data) and [data + size, slack_end)
  uint8_t* slack_end = nullptr;

  /// The furthest byte of the slack before the region that no longer holds the pattern, as a distance; 0 if none.
  size_t changed_before(Run run) const;
  size_t changed_after(Run run) const;
};

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// A region that ends, its start rounded down to `align`, `overread` bytes before the trailing guard.
  Region at_end(size_t size, size_t align, size_t overread);
  /// A region that starts `offset` bytes after the leading guard.
  Region at_start(size_t size, size_t offset);
  /// A region far from both guards, with zeros around it. An arena used so is used for nothing else.
  Region roomy(size_t size);

 private:
  void reserve(size_t bytes);
  Region region(uint8_t* data, size_t size);

  uint8_t* begin_ = nullptr;
  uint8_t* end_ = nullptr;
  uint8_t* dirty_ = nullptr;  // roomy: what the last call may have left
  size_t dirty_size_ = 0;
};

}  // namespace tritcheck
