// What a report adds up to; shared by the text, JSON and JUnit forms.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/options.h"
#include "harness/base/run_report.h"

namespace tritcheck {

/// "pass", "mismatch", "over-read", ...
std::string_view verdict_name(Verdict verdict);
/// "quick", "standard" or "thorough".
std::string_view level_name(Level level);

/// Reasons with how often each occurred, most frequent first.
using ReasonCounts = std::vector<std::pair<std::string, int64_t>>;

/// Kernels per outcome, counted once per target.
struct Tally {
  int passed = 0;
  int failed = 0;
  int known = 0;  ///< of the failed: defects that the baseline knows
  int skipped = 0;
  ReasonCounts skip_reasons;
};
/// Over all kernels of the report, or those of one target.
Tally tally(const Report& report, std::string_view target = {});
/// Cases that could not be made, by reason.
ReasonCounts skipped_cases(const Report& report, std::string_view target);

/// How a museum kernel fared. Anything but `named` is a fault of tritcheck, not of the kernel.
enum class MuseumOutcome : uint8_t { named, misnamed, missed, not_run };
MuseumOutcome museum_outcome(const KernelReport& kernel);
/// "caught and named", "caught, misnamed", "MISSED" or "skipped".
std::string_view museum_outcome_name(MuseumOutcome outcome);

/// How far a kernel is proven: the targets on which it reached each level. A kernel is executed if at least one case
/// ran.
struct LedgerEntry {
  std::string kernel;
  Isa isa = Isa::scalar;
  bool is_bug = false;
  std::vector<std::string> compiled;
  std::vector<std::string> selected;  ///< chosen by dispatch
  std::vector<std::string> simde;     ///< executed, but as a SIMDe translation
  std::vector<std::string> emulated;  ///< executed under an emulator, as its own machine code
  std::vector<std::string> silicon;   ///< executed on a real CPU, as its own machine code
};
/// One entry per kernel, in the order of the report.
std::vector<LedgerEntry> ledger(const Report& report);

}  // namespace tritcheck
