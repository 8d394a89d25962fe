#include "harness/base/match.h"

#include <fnmatch.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tritcheck {
namespace {

// Edits that turn a into b or, if `anywhere`, into the nearest part of b.
size_t edit_distance(std::string_view a, std::string_view b, bool anywhere) {
  std::vector<size_t> row(b.size() + 1, 0);
  if (!anywhere) std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return anywhere ? *std::min_element(row.begin(), row.end()) : row[b.size()];
}

}  // namespace

bool matches(const std::string& pattern, const std::string& name) {
  if (pattern.find_first_of("*?[") != std::string::npos) return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  return name.find(pattern) != std::string::npos;
}

std::vector<std::string> closest(std::string_view name, std::span<const std::string> candidates, size_t most) {
  // a mistyped part of a name ("avx3") counts as near; among equals the whole name decides, then the order given
  std::vector<std::tuple<size_t, size_t, size_t>> scored;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const size_t part = edit_distance(name, candidates[i], true);
    if (part * 3 < name.size()) scored.emplace_back(part, edit_distance(name, candidates[i], false), i);
  }
  std::sort(scored.begin(), scored.end());
  std::vector<std::string> out;
  for (const auto& [part, whole, i] : scored) {
    // several targets list the same kernels
    if (out.size() < most && std::find(out.begin(), out.end(), candidates[i]) == out.end())
      out.push_back(candidates[i]);
  }
  return out;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  std::string out;
  for (const std::string& c : closest(name, candidates)) out += (out.empty() ? "; did you mean " : ", ") + c;
  return out.empty() ? out : out + "?";
}

}  // namespace tritcheck
