// Names a person types: globs, substrings, and what they may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tritcheck {

/// Whether a pattern names this: as a glob if it holds *, ? or [, else as a substring.
bool matches(const std::string& pattern, const std::string& name);

/// Up to `most` different candidates nearest to `name` by edit distance (insertions, deletions, replacements) to the
/// candidate or a part of it, nearest first; none that needs edits for a third of `name`.
std::vector<std::string> closest(std::string_view name, std::span<const std::string> candidates, size_t most = 3);

/// "; did you mean a, b?" or an empty text.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace tritcheck
