#include "harness/runner/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "harness/runner/channel.h"

namespace tritcheck {
namespace {

// A multiple of every page size in use. Guards this wide still tell whose region a wild stride has left.
constexpr size_t kGuard = size_t{1} << 20;
constexpr size_t kRoom = size_t{1} << 18;

// The pattern depends on the address, so that a copied or shifted pattern is a change too; twice, so that any kSlack
// bytes are contiguous.
using Pattern = std::array<uint8_t, 2 * kSlack>;
constexpr Pattern make_pattern(uint32_t state) {
  Pattern pattern{};
  for (size_t i = 0; i < kSlack; ++i) {
    state = state * 1664525U + 1013904223U;
    pattern[i] = pattern[i + kSlack] = static_cast<uint8_t>(state >> 24);
  }
  return pattern;
}
constexpr Pattern kPatterns[] = {make_pattern(1), make_pattern(2)};

const uint8_t* pattern_of(Run run, const uint8_t* address) {
  return &kPatterns[static_cast<size_t>(run)][reinterpret_cast<uintptr_t>(address) % kSlack];
}

void fill(Run run, uint8_t* from, const uint8_t* to) {
  if (from < to) std::memcpy(from, pattern_of(run, from), static_cast<size_t>(to - from));
}

size_t round_up(size_t n, size_t step) {
  return (n + step - 1) / step * step;
}

}  // namespace

size_t Region::changed_before(Run run) const {
  const auto n = static_cast<size_t>(data - slack_begin);
  const uint8_t* pattern = pattern_of(run, slack_begin);
  if (n == 0 || std::memcmp(slack_begin, pattern, n) == 0) return 0;
  return n - static_cast<size_t>(std::mismatch(slack_begin, data, pattern).first - slack_begin);
}

size_t Region::changed_after(Run run) const {
  const uint8_t* from = data + size;
  const auto n = static_cast<size_t>(slack_end - from);
  const uint8_t* pattern = pattern_of(run, from);
  if (n == 0 || std::memcmp(from, pattern, n) == 0) return 0;
  size_t last = n - 1;
  while (from[last] == pattern[last]) --last;
  return last + 1;
}

void Arena::reserve(size_t bytes) {
  if (static_cast<size_t>(end_ - begin_) >= bytes) return;
  if (begin_ != nullptr) munmap(begin_ - kGuard, static_cast<size_t>(end_ - begin_) + 2 * kGuard);
  const size_t capacity = round_up(std::max(bytes, bytes / 2 * 3), size_t{1} << 16);
  void* whole = mmap(nullptr, capacity + 2 * kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (whole == MAP_FAILED) fail("no memory for a buffer");
  begin_ = static_cast<uint8_t*>(whole) + kGuard;
  end_ = begin_ + capacity;
  if (mprotect(begin_, capacity, PROT_READ | PROT_WRITE) != 0) fail("no memory for a buffer");
}

Region Arena::region(uint8_t* data, size_t size) {
  return {data,
          size,
          reinterpret_cast<uintptr_t>(begin_) - kGuard,
          reinterpret_cast<uintptr_t>(end_) + kGuard,
          data - std::min(kSlack, static_cast<size_t>(data - begin_)),
          data + size + std::min(kSlack, static_cast<size_t>(end_ - data) - size)};
}

Region Arena::at_end(size_t size, size_t align, size_t overread) {
  reserve(size + 3 * kSlack);
  uint8_t* data = end_ - overread - size;
  data -= reinterpret_cast<uintptr_t>(data) % align;
  const Region placed = region(data, size);
  fill(Run::a, placed.slack_begin, data);
  fill(Run::a, data + size, placed.slack_end);
  return placed;
}

Region Arena::at_start(size_t size, size_t offset) {
  reserve(size + 3 * kSlack);
  uint8_t* data = begin_ + offset;
  const Region placed = region(data, size);
  fill(Run::b, placed.slack_begin, data);
  fill(Run::b, data + size, placed.slack_end);
  return placed;
}

Region Arena::roomy(size_t size) {
  if (dirty_ != nullptr) std::memset(dirty_ - kSlack, 0, dirty_size_ + 2 * kSlack);
  reserve(size + 2 * kRoom);
  dirty_ = begin_ + kRoom;
  dirty_size_ = size;
  return region(dirty_, size);
}

}  // namespace tritcheck
