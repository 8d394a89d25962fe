#include "harness/verify/selfcheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/base/console.h"
#include "harness/targets/target.h"
#include "harness/verify/verify.h"

namespace tritcheck {
namespace {

void take(const Report& report, Selfcheck& out) {
  out.interrupted |= report.interrupted;
  out.seconds += report.seconds;
  for (const KernelReport& k : report.kernels) {
    SelfcheckRow row;
    row.bug = k.kernel.name;
    row.expected = k.kernel.diagnosis;
    row.first_case = k.first_failed;
    if (k.verdict == Verdict::skipped) row.skipped = k.reason;
    if (k.failure) row.found = k.failure->diagnosis;
    for (const FamilyCount& f : k.families) {
      if (std::find(out.families.begin(), out.families.end(), f.family) == out.families.end())
        out.families.push_back(f.family);
      if (f.failed > 0) row.killed.push_back(f.family);
    }
    out.rows.push_back(std::move(row));
  }
}

}  // namespace

int64_t Selfcheck::wrong() const {
  return std::count_if(rows.begin(), rows.end(), [](const SelfcheckRow& r) { return r.skipped.empty() && !r.right(); });
}

int64_t Selfcheck::ran() const {
  return std::count_if(rows.begin(), rows.end(), [](const SelfcheckRow& r) { return r.skipped.empty(); });
}

Selfcheck selfcheck(const VerifyOptions& given, const Progress& progress) {
  Selfcheck out;
  VerifyOptions kernels = given;
  kernels.bugs = {"all"};
  kernels.devices = {"local"};
  take(verify(kernels, progress), out);
  if (out.interrupted) return out;
  VerifyOptions blocks = given;
  blocks.devices = {"local"};
  const std::string runner = resolve_target("local", Runner::libraries).runner;
  blocks.libs = {runner.substr(0, runner.rfind('/')) + "/tritcheck-block-museum.so"};
  take(verify(blocks, progress), out);
  return out;
}

std::string selfcheck_text(const Selfcheck& s, bool colour) {
  size_t width = 4;
  for (const SelfcheckRow& row : s.rows) width = std::max(width, row.bug.size());
  std::string out = fmt::format("{:<{}}  first", "broken kernel", width);
  for (const std::string& f : s.families) out += fmt::format(" {:>6}", f);
  out += "  found\n";
  int64_t controls = 0;
  int64_t skipped = 0;
  std::map<std::string, int64_t> kills;
  std::map<std::string, int64_t> alone;
  for (const SelfcheckRow& row : s.rows) {
    if (!row.skipped.empty()) {
      ++skipped;
      continue;
    }
    controls += row.expected.empty();
    if (row.expected.empty() && row.right()) continue;
    for (const std::string& f : row.killed) ++kills[f];
    if (row.killed.size() == 1) ++alone[row.killed[0]];
    out += fmt::format("{:<{}} {:>6}", row.bug, width, row.first_case);
    for (const std::string& f : s.families) {
      const bool hit = std::find(row.killed.begin(), row.killed.end(), f) != row.killed.end();
      out += fmt::format(" {:>6}", hit ? "x" : ".");
    }
    const std::string verdict = row.right()            ? row.found
                                : row.found.empty()    ? "MISSED, should be " + row.expected
                                : row.expected.empty() ? "FALSE ALARM: " + row.found
                                                       : row.found + ", should be " + row.expected;
    out += "  " + styled(verdict, row.right() ? Style::plain : Style::bad, colour) + "\n";
  }
  out += fmt::format("{:<{}} {:>6}", "killed", width, "");
  for (const std::string& f : s.families) out += fmt::format(" {:>6}", kills[f]);
  out += fmt::format("\n{:<{}} {:>6}", "killed by no other", width, "");
  for (const std::string& f : s.families) out += fmt::format(" {:>6}", alone[f]);
  out += fmt::format(
      "\n\nfirst: the number of the first case that failed; x: a family in which it failed (a kernel that hangs or "
      "crashes is put to no further one)\n");
  const int64_t bugs = s.ran() - controls;
  const std::string line =
      fmt::format("selfcheck: {} broken kernels, {} right ones: {} wrong{}, {} not run here{}, in {}", bugs, controls,
                  s.wrong(), s.wrong() == 0 ? " (all caught and named, no false alarm)" : "", skipped,
                  s.interrupted ? " (interrupted)" : "", duration(s.seconds));
  return out + styled(line, s.wrong() == 0 && s.ran() > 0 ? Style::good : Style::bad, colour) + "\n";
}

}  // namespace tritcheck
