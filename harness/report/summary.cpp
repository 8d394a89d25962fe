#include "harness/report/summary.h"

#include <algorithm>
#include <map>

namespace tritcheck {
namespace {

ReasonCounts sorted(const std::map<std::string, int64_t>& counts) {
  ReasonCounts list(counts.begin(), counts.end());
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return list;
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  constexpr std::string_view names[] = {"pass",  "mismatch", "unwritten", "over-read",        "over-write",
                                        "crash", "timeout",  "clobbered", "nondeterministic", "skipped"};
  return names[static_cast<int>(verdict)];
}

std::string_view level_name(Level level) {
  constexpr std::string_view names[] = {"quick", "standard", "thorough"};
  return names[static_cast<int>(level)];
}

Tally tally(const Report& report, std::string_view target) {
  Tally t;
  std::map<std::string, int64_t> reasons;
  for (const KernelReport& k : report.kernels) {
    if (!target.empty() && k.target != target) continue;
    if (k.verdict == Verdict::pass) {
      ++t.passed;
    } else if (k.verdict == Verdict::skipped) {
      ++t.skipped;
      ++reasons[k.reason.empty() ? "no reason given" : k.reason];
    } else {
      ++t.failed;
      t.known += k.known_defect;
    }
  }
  t.skip_reasons = sorted(reasons);
  return t;
}

ReasonCounts skipped_cases(const Report& report, std::string_view target) {
  std::map<std::string, int64_t> reasons;
  for (const KernelReport& k : report.kernels) {
    if (k.target != target) continue;
    for (const auto& [reason, count] : k.skipped_cases) reasons[reason] += count;
  }
  return sorted(reasons);
}

MuseumOutcome museum_outcome(const KernelReport& kernel) {
  if (kernel.verdict == Verdict::skipped) return MuseumOutcome::not_run;
  if (kernel.verdict == Verdict::pass) return MuseumOutcome::missed;
  const bool named = kernel.failure && kernel.failure->diagnosis == kernel.kernel.diagnosis;
  return named ? MuseumOutcome::named : MuseumOutcome::misnamed;
}

std::string_view museum_outcome_name(MuseumOutcome outcome) {
  constexpr std::string_view names[] = {"caught and named", "caught, misnamed", "MISSED", "skipped"};
  return names[static_cast<int>(outcome)];
}

std::vector<LedgerEntry> ledger(const Report& report) {
  std::vector<LedgerEntry> entries;
  std::map<std::string, size_t> index;
  std::map<std::string, bool> emulated;
  for (const TargetReport& t : report.targets) emulated[t.target] = t.emulated;

  for (const KernelReport& k : report.kernels) {
    const auto [at, fresh] = index.emplace(k.kernel.name, entries.size());
    if (fresh) entries.push_back({k.kernel.name, k.kernel.isa, k.kernel.is_bug, {}, {}, {}, {}, {}});
    LedgerEntry& entry = entries[at->second];
    if (k.kernel.via == Via::absent) continue;
    entry.compiled.push_back(k.target);
    if (k.kernel.selected) entry.selected.push_back(k.target);
    if (k.verdict == Verdict::skipped || k.cases == 0) continue;
    (k.kernel.via == Via::simde ? entry.simde
     : emulated[k.target]       ? entry.emulated
                                : entry.silicon)
        .push_back(k.target);
  }
  return entries;
}

}  // namespace tritcheck
