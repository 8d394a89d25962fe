#include "harness/report/upstream.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/console.h"
#include "harness/cases/grids.h"
#include "harness/cases/problem.h"
#include "harness/diagnose/catalog/catalog.h"
#include "harness/diagnose/common/diagnosis.h"
#include "harness/report/summary.h"
#include "harness/report/upstream_program.h"

namespace tritcheck {
namespace {

// What a program of two calls, in one thread and without poison in the registers, need not show.
bool beside_the_values(const Failure& f) {
  if (f.sentence == kProcessLost) return true;
  const std::string_view names[] = {"clobbered-state", "nondeterministic", "race", "uninitialised"};
  return std::ranges::find(names, f.diagnosis) != std::end(names);
}

std::string one(const KernelReport& k, const TargetReport& t, const ReportContext& context) {
  const Failure& f = *k.failure;
  std::string out = fmt::format("# {}: {} (`{}`)\n\n", k.kernel.name, f.sentence, f.diagnosis);
  out += fmt::format(
      "- library: `{}`{}\n- device: {}{}\n- found by: tritcheck {}, `{}`\n\n", printable(t.worker.library.path),
      t.worker.library.version.empty() ? "" : ", version " + t.worker.library.version,
      k.target.substr(k.target.rfind(" on ") + 4), t.emulated ? " (emulated)" : "", context.build.version, f.case_text);
  for (const std::string& line : f.evidence) out += fmt::format("- {}\n", line);
  if (const CatalogEntry* entry = find_diagnosis(f.diagnosis)) out += fmt::format("\n{}\n", entry->what);
  // a library that dies when it is loaded fails without a case
  const Case c = f.case_text.empty() ? Case() : parse_case(f.case_text);
  if (c.of_i2_s()) {
    return out + fmt::format("\nNo program; this repeats it: `{}`\n\n", printable(f.repro));
  }
  if (c.probe == "real") {
    return out +
           fmt::format("\nThe failing input is row {} of tensor `{}` of a model file (SHA-256 begins with {}).\n\n",
                       c.row, c.tensor, c.model);
  }
  const std::string replay = fmt::format("`tritcheck replay '{}' --lib ...`", f.case_text);
  if (grid_named(c.format) != nullptr) {
    return out + fmt::format(
                     "\nNo program: the values of {} are not known to tritcheck; what is broken is a relation "
                     "between the function's own answers. {} repeats it.\n\n",
                     c.format, replay);
  }
  if (!has_program(k, t.worker.library)) {
    return out +
           fmt::format("\nNo program: the library exports the function under no name. {} repeats it.\n\n", replay);
  }
  const Problem p = make_problem(c);
  out += fmt::format("\nThe smallest failing input, K = {}{}. ", p.k, p.n == 2 ? ", nrc = 2" : "");
  out += "The expected values are exact sums over the quantised blocks, not the dot of unquantised data.\n\n";
  if (beside_the_values(f)) {
    out += "The program need not show it: what is wrong is what the call does beside, or not every time. ";
    out += replay + " shows it.\n\n";
  }
  out += fmt::format("```c\n/* cc repro.c -ldl && ./a.out [LIBRARY] */\n{}```\n\n",
                     upstream_program(k, t.worker.library, p, expected(p)));
  return out;
}

}  // namespace

std::string upstream_report(const Report& report, const ReportContext& context) {
  std::string out;
  for (const KernelReport& k : report.kernels) {
    if (!k.failure) continue;
    for (const TargetReport& t : report.targets) {
      if (t.target == k.target) out += one(k, t, context);
    }
  }
  return out.empty() ? "No failures: nothing to report.\n" : out;
}

}  // namespace tritcheck
