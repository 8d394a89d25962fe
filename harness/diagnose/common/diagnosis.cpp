#include "harness/diagnose/common/diagnosis.h"

#include <fmt/format.h>

namespace tritcheck {

std::string ranges(const std::vector<int64_t>& sorted) {
  constexpr int kMost = 8;
  std::string out;
  int shown = 0;
  for (size_t i = 0; i < sorted.size();) {
    size_t end = i;
    while (end + 1 < sorted.size() && sorted[end + 1] == sorted[end] + 1) ++end;
    if (shown++ == kMost) return out + ", ...";
    if (!out.empty()) out += ", ";
    out += end == i ? fmt::format("{}", sorted[i]) : fmt::format("{}..{}", sorted[i], sorted[end]);
    i = end + 1;
  }
  return out;
}

}  // namespace tritcheck
