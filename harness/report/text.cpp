#include <fmt/format.h>

#include <algorithm>

#include "harness/base/console.h"
#include "harness/report/failure.h"
#include "harness/report/library_text.h"
#include "harness/report/report.h"
#include "harness/report/summary.h"

namespace tritcheck {
namespace {

using Align = Table::Align;

/// Museum runs with more kernels than this show in full only what went wrong with the diagnosis.
constexpr int kBugsShownInFull = 4;

std::string isa_text(const KernelInfo& kernel) {
  std::string text(name(kernel.isa));
  if (kernel.via == Via::simde) text += " (SIMDe)";
  return text;
}

Cell verdict_cell(const KernelReport& k) {
  if (k.verdict == Verdict::pass) return {"pass", Style::good};
  std::string text(verdict_name(k.verdict));
  if (k.failure && k.failure->diagnosis != text) text += ": " + k.failure->diagnosis;
  return {text, Style::bad};
}

Cell outcome_cell(const KernelReport& k) {
  const MuseumOutcome outcome = museum_outcome(k);
  std::string text(museum_outcome_name(outcome));
  if (outcome == MuseumOutcome::misnamed && k.failure) text += ": " + k.failure->diagnosis;
  return {text, outcome == MuseumOutcome::named ? Style::good : Style::bad};
}

std::string header(const Report& report, const ReportContext& context, const TextOptions& options) {
  const BuildInfo& b = context.build;
  std::string out =
      fmt::format("{}  level {}, seed {}\n", styled("tritcheck " + b.version, Style::bold, options.colour),
                  level_name(report.level), report.seed);
  out += fmt::format("harness: {}{}{}, report schema {}{}\n", b.compiler, b.flags.empty() ? "" : " ", b.flags,
                     kReportSchema, b.cpu.empty() ? "" : ", on " + printable(b.cpu));
  if (!report.model) return out;
  const ModelReport& m = *report.model;
  out += fmt::format("model: {} (sha256 {}...)\n", printable(m.path), m.hash);
  out += fmt::format("  {}, {}, {}; ", counted(m.tensors, "tensor"), counted(m.rows, "row"), counted(m.cases, "case"));
  if (!m.formats.empty()) out += fmt::format("blocks of {}{}", fmt::join(m.formats, ", "), m.i2_s ? "; " : "\n");
  if (!m.i2_s) return out;
  if (m.layout_given) return out + fmt::format("layout {}, as given\n", i2_s::name(m.layout));
  const std::string doubt = fmt::format("layout assumed: {}, not proven", i2_s::name(m.layout));
  return out + fmt::format("{} (--layout states it)\n", styled(doubt, Style::warn, options.colour));
}

std::string target_heading(const TargetReport& t, const TextOptions& options) {
  const WorkerInfo& w = t.worker;
  std::string facts = fmt::format("{}, {}", w.arch, t.emulated ? "emulated" : "silicon");
  if (!w.cpu.empty()) facts += fmt::format(", cpu: {}", w.cpu);
  facts = printable(facts);
  const std::string kernels = fmt::format("kernels: {}{}{}", w.compiler, w.flags.empty() ? "" : " ", w.flags);
  return fmt::format("\n{}\n{}{}", styled(printable(t.target), Style::bold, options.colour),
                     wrapped(facts, static_cast<size_t>(options.width), "  "),
                     wrapped(printable(kernels), static_cast<size_t>(options.width), "  "));
}

std::string museum_table(const Report& report, const std::string& target, const TextOptions& options) {
  Table table({Align::left, Align::left, Align::left, Align::left, Align::right},
              {"broken kernel", "ISA", "expected", "found", "time"});
  for (const KernelReport& k : report.kernels) {
    if (k.target != target || !k.kernel.is_bug || k.verdict == Verdict::skipped) continue;
    table.add({{k.kernel.name}, {isa_text(k.kernel)}, {k.kernel.diagnosis}, outcome_cell(k), {duration(k.seconds)}});
  }
  return table.empty() ? "" : table.to_string(static_cast<size_t>(options.width), options.colour);
}

std::string kernel_table(const Report& report, const std::string& target, const TextOptions& options) {
  Table table({Align::left, Align::left, Align::left, Align::right, Align::left, Align::right},
              {"kernel", "", "ISA", "cases", "verdict", "time"});
  for (const KernelReport& k : report.kernels) {
    if (k.target != target || k.kernel.is_bug || k.verdict == Verdict::skipped) continue;
    table.add({{k.kernel.name},
               {k.kernel.selected ? "*" : ""},
               {isa_text(k.kernel)},
               {std::to_string(k.cases)},
               verdict_cell(k),
               {duration(k.seconds)}});
  }
  return table.empty() ? "" : table.to_string(static_cast<size_t>(options.width), options.colour);
}

std::string skip_lines(const Report& report, const std::string& target, const TextOptions& options) {
  std::string out;
  const auto line = [&](int64_t n, std::string_view noun, const std::string& reason) {
    out += wrapped(fmt::format("{} skipped: {}", counted(n, noun), printable(reason)),
                   static_cast<size_t>(options.width), "  ");
  };
  for (const auto& [reason, n] : tally(report, target).skip_reasons) line(n, "kernel", reason);
  for (const auto& [reason, n] : skipped_cases(report, target)) line(n, "case", reason);
  return out;
}

Cell target_count(const std::vector<std::string>& targets, Style style = Style::plain) {
  return targets.empty() ? Cell{"-", Style::dim} : Cell{std::to_string(targets.size()), style};
}

// A row per kernel if there are several targets; for one, the table above has said it all and a line sums up.
std::string ledger_text(const Report& report, const TextOptions& options) {
  Table table({Align::left, Align::left, Align::right, Align::right, Align::right, Align::right, Align::right},
              {"kernel", "ISA", "compiled", "selected", "SIMDe", "emulated", "silicon"});
  int compiled = 0, selected = 0, simde = 0, emulated = 0, silicon = 0;
  for (const LedgerEntry& e : ledger(report)) {
    if (e.is_bug) continue;
    compiled += !e.compiled.empty();
    selected += !e.selected.empty();
    simde += !e.simde.empty();
    emulated += !e.emulated.empty();
    silicon += !e.silicon.empty();
    table.add({{e.kernel},
               {std::string(name(e.isa))},
               target_count(e.compiled),
               target_count(e.selected),
               target_count(e.simde),
               target_count(e.emulated, Style::good),
               target_count(e.silicon, Style::good)});
  }
  if (table.empty()) return {};
  const std::string title = styled("ledger", Style::bold, options.colour);
  if (report.targets.size() < 2) {
    return fmt::format(
        "\n{}: {} compiled, {} chosen by dispatch; executed: {} on silicon, {} emulated, {} through SIMDe\n", title,
        counted(compiled, "kernel"), selected, silicon, emulated, simde);
  }
  return fmt::format("\n{}: on how many of the {} each kernel was compiled, chosen by dispatch, executed\n{}", title,
                     counted(static_cast<int64_t>(report.targets.size()), "target"),
                     table.to_string(static_cast<size_t>(options.width), options.colour));
}

std::string failures(const Report& report, const TextOptions& options) {
  const auto bugs = std::count_if(report.kernels.begin(), report.kernels.end(), [](const KernelReport& k) {
    return k.kernel.is_bug && k.verdict != Verdict::skipped;
  });
  std::string out;
  bool hidden = false;
  for (const KernelReport& k : report.kernels) {
    if (!k.failure) continue;
    if (k.kernel.is_bug && bugs > kBugsShownInFull && museum_outcome(k) == MuseumOutcome::named) {
      hidden = true;
      continue;
    }
    out += '\n' + failure_text(k, options);
  }
  if (hidden) {
    out += fmt::format("\n`tritcheck verify {} NAME` shows one catch in full, `tritcheck explain` its diagnosis\n",
                       report.libraries ? "--lib FILE" : "--bugs");
  }
  return out;
}

std::string changes_and_unseen(const Report& report, const TextOptions& options) {
  std::string out;
  for (const std::string& change : report.changes) {
    out += wrapped(printable(change), static_cast<size_t>(options.width), "");
  }
  for (const std::string& entry : report.unseen_defects) {
    out += wrapped(printable("known defect not seen: " + entry + "; if it is repaired, take it out of the baseline"),
                   static_cast<size_t>(options.width), "");
  }
  return out.empty() ? "" : "\n" + out;
}

struct MuseumCount {
  int named = 0;
  int misnamed = 0;
  int missed = 0;
  int not_run = 0;
};

MuseumCount museum_count(const Report& report) {
  MuseumCount count;
  for (const KernelReport& k : report.kernels) {
    if (!k.kernel.is_bug) continue;
    switch (museum_outcome(k)) {
      case MuseumOutcome::named:
        ++count.named;
        break;
      case MuseumOutcome::misnamed:
        ++count.misnamed;
        break;
      case MuseumOutcome::missed:
        ++count.missed;
        break;
      case MuseumOutcome::not_run:
        ++count.not_run;
        break;
    }
  }
  return count;
}

// The table above has the counts of each.
std::string reasons_text(const ReasonCounts& reasons) {
  if (reasons.empty()) return {};
  if (reasons.size() > 1) return fmt::format(" ({} reasons)", reasons.size());
  return fmt::format(" ({})", printable(reasons.front().first));
}

bool only_bugs(const Report& report) {
  return !report.kernels.empty() && std::all_of(report.kernels.begin(), report.kernels.end(),
                                                [](const KernelReport& k) { return k.kernel.is_bug; });
}

}  // namespace

std::string summary_line(const Report& report) {
  const Tally t = tally(report);
  std::string out = report.interrupted ? "interrupted, partial result: " : "";
  if (t.passed + t.failed == 0) out += "nothing ran: ";
  const MuseumCount m = museum_count(report);
  const bool museum = m.named + m.misnamed + m.missed + m.not_run > 0;
  if (museum) {
    out += fmt::format("museum: {} caught and named, {} misnamed, {} missed, {} skipped", counted(m.named, "bug"),
                       m.misnamed, m.missed, m.not_run);
  }
  if (!only_bugs(report)) {
    const char* noun = report.libraries ? "function" : "kernel";
    // what is beside the museum; a missed bug has passed
    out += fmt::format("{}{} passed, {} failed, {} skipped", museum ? "; beside it " : "",
                       counted(t.passed - m.missed, noun), t.failed - m.named - m.misnamed, t.skipped - m.not_run);
  }
  out += reasons_text(t.skip_reasons);
  if (t.known > 0) out += fmt::format("; {} of the failures known", t.known);
  if (report.targets.size() > 1)
    out += fmt::format(" {} {} {}", report.libraries ? "in" : "on", report.targets.size(),
                       report.libraries ? "libraries and devices" : "targets");
  out += fmt::format(" in {}", duration(report.seconds));
  if (report.cpu_seconds > 0) out += fmt::format(" ({} of CPU time)", duration(report.cpu_seconds));
  return out;
}

std::string text_report(const Report& report, const ReportContext& context, const TextOptions& options) {
  std::string out = header(report, context, options);
  bool selected = false;
  const bool libraries = report.libraries;
  // of many libraries the failures count; of one or two every function
  const bool in_full = !libraries || report.targets.size() <= 2;
  if (!in_full) out += library_overview(report, options) + function_skips(report, "", options);
  for (const TargetReport& t : report.targets) {
    if (libraries && in_full) {
      out += library_heading(t, options) + function_table(report, t.target, options) +
             museum_table(report, t.target, options) + function_skips(report, t.target, options);
    }
    if (libraries) continue;
    out += target_heading(t, options) + kernel_table(report, t.target, options) +
           museum_table(report, t.target, options) + skip_lines(report, t.target, options);
  }
  for (const KernelReport& k : report.kernels) {
    selected = selected || (k.kernel.selected && !k.kernel.is_bug && k.verdict != Verdict::skipped);
  }
  if (selected) out += "\n* chosen by dispatch on that target\n";
  out += failures(report, options) + (libraries ? "" : ledger_text(report, options)) +
         changes_and_unseen(report, options) + '\n';

  const Tally t = tally(report);
  const MuseumCount m = museum_count(report);
  const bool bad = m.misnamed + m.missed > 0 || t.failed - m.named - m.misnamed > t.known;
  const bool good = t.passed + t.failed > 0 && !report.interrupted;
  return out + styled(summary_line(report), bad ? Style::bad : good ? Style::good : Style::warn, options.colour) + '\n';
}

}  // namespace tritcheck
