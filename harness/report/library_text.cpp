#include "harness/report/library_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/base/console.h"
#include "harness/cases/formats.h"
#include "harness/report/summary.h"

namespace tritcheck {
namespace {

using Align = Table::Align;

// "vec_dot q4_K q8_K", for a kernel of tritcheck's own kind its operation and layout.
std::string what(const KernelInfo& k) {
  if (k.role == Role::library) return "loading it";
  if (k.of_i2_s()) return fmt::format("i2_s {} {}", name(k.contract.op), i2_s::name(k.contract.layout));
  return fmt::format("{} {}{}{}", name(k.contract.op), k.format, k.acts.empty() ? "" : " " + k.acts,
                     k.nrows > 1 ? fmt::format(", {} rows", k.nrows) : "");
}

Cell verdict_of(const KernelReport& k) {
  if (k.verdict == Verdict::pass) {
    return {why_no_oracle(k.kernel).empty() ? "pass" : "pass (no oracle)", Style::good};
  }
  std::string text(verdict_name(k.verdict));
  if (k.failure && k.failure->diagnosis != text) text += ": " + k.failure->diagnosis;
  if (k.known_defect) return {text + " (known)", Style::warn};
  return {text, Style::bad};
}

}  // namespace

std::string library_heading(const TargetReport& t, const TextOptions& options) {
  const WorkerInfo& w = t.worker;
  const auto width = static_cast<size_t>(options.width);
  std::string out = fmt::format("\n{}\n", styled(printable(t.target), Style::bold, options.colour));
  if (w.library.path.empty()) return out;
  out += wrapped(printable(fmt::format("{}, {}, cpu: {}", w.arch, t.emulated ? "emulated" : "silicon", w.cpu)), width,
                 "  ");
  std::string facts = w.library.abi;
  if (!w.library.version.empty()) facts += fmt::format("{}version {}", facts.empty() ? "" : "; ", w.library.version);
  if (!facts.empty()) out += wrapped(printable(facts), width, "  ");
  for (const std::string& note : w.library.notes) out += wrapped(printable("note: " + note), width, "  ");
  return out;
}

std::string function_table(const Report& report, const std::string& target, const TextOptions& options) {
  Table table({Align::left, Align::left, Align::right, Align::left, Align::right},
              {"function", "what", "cases", "verdict", "time"});
  for (const KernelReport& k : report.kernels) {
    if (k.target != target || k.kernel.is_bug || k.verdict == Verdict::skipped) continue;
    table.add({{k.kernel.name}, {what(k.kernel)}, {std::to_string(k.cases)}, verdict_of(k), {duration(k.seconds)}});
  }
  return table.empty() ? "" : table.to_string(static_cast<size_t>(options.width), options.colour);
}

std::string library_overview(const Report& report, const TextOptions& options) {
  Table table({Align::left, Align::right, Align::right, Align::right, Align::left},
              {"library and device", "passed", "failed", "skipped", ""});
  for (const TargetReport& t : report.targets) {
    const Tally n = tally(report, t.target);
    std::string remark;
    if (n.passed + n.failed == 0 && !n.skip_reasons.empty()) remark = n.skip_reasons.front().first;
    table.add({{t.target},
               {std::to_string(n.passed), n.passed > 0 ? Style::good : Style::dim},
               {std::to_string(n.failed), n.failed > 0 ? Style::bad : Style::dim},
               {std::to_string(n.skipped)},
               {remark, Style::dim}});
  }
  return "\n" + table.to_string(static_cast<size_t>(options.width), options.colour);
}

std::string function_skips(const Report& report, const std::string& target, const TextOptions& options) {
  // "no oracle for q4_K: why" and "no oracle for q5_K: why" become one line, and "the file has no q4_K tensor" likewise
  const std::string none = "no oracle for ";
  const std::string absent = "the file has no ";
  struct Group {
    int64_t count = 0;
    std::set<std::string> formats;
  };
  std::map<std::string, Group> groups;
  for (const KernelReport& k : report.kernels) {
    if (k.verdict != Verdict::skipped || (!target.empty() && k.target != target)) continue;
    if (k.reason.starts_with(absent)) {
      Group& g = groups["the file has no tensor of that format"];
      ++g.count;
      g.formats.insert(k.kernel.format);
      continue;
    }
    const size_t colon = k.reason.find(": ");
    const bool oracle = k.reason.starts_with(none);
    Group& g = groups[!oracle                      ? k.reason
                      : colon == std::string::npos ? "no oracle"
                                                   : "no oracle: " + k.reason.substr(colon + 2)];
    ++g.count;
    if (oracle)
      g.formats.insert(k.reason.substr(none.size(), colon == std::string::npos ? colon : colon - none.size()));
  }
  // held to relations, which is less than a comparison: said as loudly as what did not run
  Group relations;
  for (const KernelReport& k : report.kernels) {
    if (k.verdict == Verdict::skipped || (!target.empty() && k.target != target)) continue;
    if (why_no_oracle(k.kernel).empty()) continue;
    ++relations.count;
    relations.formats.insert(k.kernel.format);
  }
  std::string out;
  if (relations.count > 0) {
    out +=
        wrapped(printable(fmt::format("{} without an oracle, held to relations between {} own answers only: the values "
                                      "come from a lookup grid ({})",
                                      counted(relations.count, "function"), relations.count == 1 ? "its" : "their",
                                      fmt::join(relations.formats, ", "))),
                static_cast<size_t>(options.width), "  ");
  }
  const auto line = [&](int64_t n, const std::string& noun, const std::string& reason) {
    out += wrapped(printable(fmt::format("{} skipped: {}", counted(n, noun), reason)),
                   static_cast<size_t>(options.width), "  ");
  };
  for (const auto& [reason, g] : groups) {
    line(g.count, "function", g.formats.empty() ? reason : fmt::format("{} ({})", reason, fmt::join(g.formats, ", ")));
  }
  if (!target.empty()) {
    for (const auto& [reason, n] : skipped_cases(report, target)) line(n, "case", reason);
  }
  return out;
}

}  // namespace tritcheck
