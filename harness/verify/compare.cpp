#include "harness/verify/compare.h"

#include <fmt/format.h>

#include <map>

#include "harness/report/summary.h"

namespace tritcheck {
namespace {

std::string state(const KernelReport& k) {
  if (k.verdict == Verdict::pass) return "right";
  if (k.verdict == Verdict::skipped) return "skipped";
  return k.failure ? k.failure->diagnosis : std::string(verdict_name(k.verdict));
}

}  // namespace

void compare_libraries(const std::string& old_label, const std::string& new_label, Report& report) {
  // by device and function
  std::map<std::string, std::pair<KernelReport*, KernelReport*>> both;
  for (KernelReport& k : report.kernels) {
    const size_t on = k.target.rfind(" on ");
    const std::string label = k.target.substr(0, on);
    const std::string key = k.kernel.name + (on == std::string::npos ? "" : k.target.substr(on));
    if (label == old_label) both[key].first = &k;
    if (label == new_label) both[key].second = &k;
  }
  int64_t same = 0;
  for (auto& [key, pair] : both) {
    auto& [before, after] = pair;
    if (before != nullptr && before->failure) before->known_defect = true;
    if (before == nullptr) {
      report.changes.push_back(fmt::format("new: {} ({})", key, state(*after)));
    } else if (after == nullptr) {
      report.changes.push_back(fmt::format("gone: {} (was {})", key, state(*before)));
    } else if (state(*before) == state(*after)) {
      ++same;
      if (after->failure) after->known_defect = true;
    } else {
      report.changes.push_back(fmt::format("changed: {}: {} before, {} now", key, state(*before), state(*after)));
    }
  }
  report.changes.push_back(fmt::format("the same: {} functions", same));
}

}  // namespace tritcheck
