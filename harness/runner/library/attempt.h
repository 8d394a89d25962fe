// Questions to a strange library that may kill who asks them: asked in a forked child.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tritcheck {

/// What `question` handed to `tell` before it returned, or before it killed the child or took too long. `died` then
/// holds why ("SIGILL", "no answer for 5 s").
struct Attempt {
  std::vector<std::byte> told;
  std::string died;
};
using Tell = std::function<void(std::span<const std::byte>)>;
Attempt attempt(const std::function<void(const Tell&)>& question);

/// Whether these bytes can be read. Asks the system, without touching them.
bool readable(const void* at, size_t bytes);

/// How many bytes from there on can be read, `most` at most. Asks once per page.
size_t readable_from(const void* at, size_t most);

}  // namespace tritcheck
