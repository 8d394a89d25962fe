#include "harness/kernel_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace tritcheck {
namespace {

// Enough to run in one pipelined batch, little enough to notice an interruption soon. A family begins with batches of
// 1, 2, 4, ... cases: where it hangs, it usually hangs early, and each hang in a batch costs its whole time limit.
constexpr size_t kBatchCases = 64;
constexpr size_t kBatchBytes = 4 << 20;
// Failures to keep for diagnosis, and to see before a family's remaining cases are pointless.
constexpr size_t kKeepPerFamily = 12;
constexpr int64_t kEnoughPerFamily = 40;
constexpr int kEnoughCrashes = 3;

struct Pending {
  Case spec;
  Problem problem;
  std::vector<double> expected;
  std::vector<uint8_t> packed;
};

class KernelRun {
 public:
  KernelRun(const Suspect& suspect, const MakeProblem& make, KernelReport& report)
      : suspect_(suspect), make_(make), report_(report) {}

  void family(const CaseSet& set) {
    counts_ = {set.family, 0, 0};
    size_t bytes = 0;
    size_t most = 1;
    for (const Case& c : set.cases) {
      if (stopped()) {
        cut_ |= g_interrupted;
        break;
      }
      try {
        Problem p = make_(c);
        std::vector<uint8_t> codes = packed(p);
        std::vector<double> right = expected(p, codes);
        bytes += codes.size() + p.q.size();
        batch_.push_back({c, std::move(p), std::move(right), std::move(codes)});
      } catch (const std::invalid_argument& e) {
        ++skips_[e.what()];
        continue;
      }
      if (batch_.size() >= most || bytes >= kBatchBytes) {
        flush();
        bytes = 0;
        most = std::min(2 * most, kBatchCases);
      }
    }
    // made, but not put to the kernel any more
    cut_ |= g_interrupted && !batch_.empty();
    if (!stopped()) flush();
    batch_.clear();
    if (counts_.cases > 0) report_.families.push_back(counts_);
    report_.cases += counts_.cases;
  }

  /// Whether an interruption left cases out.
  bool cut() const { return cut_; }

  std::vector<Failed>& failures() { return failures_; }
  const std::map<std::string, int64_t>& skips() const { return skips_; }

 private:
  bool dead() const { return hung_ || crashes_ >= kEnoughCrashes; }
  bool stopped() const { return g_interrupted || dead() || counts_.failed >= kEnoughPerFamily; }

  void flush() {
    std::vector<CallRequest> requests;
    for (Pending& p : batch_) {
      requests.push_back(suspect_.request(p.problem, std::move(p.packed), suspect_.guarded));
    }
    std::vector<CallResult> results = suspect_.executor.run(requests);
    for (size_t i = 0; i < results.size(); ++i) take(batch_[i], std::move(results[i]));
    batch_.clear();
  }

  void take(Pending& p, CallResult result) {
    if (dead()) return;
    ++counts_.cases;
    Judgement j = judge(p.problem, p.expected, result);
    if (j.verdict == Verdict::pass) return;
    ++counts_.failed;
    if (report_.first_failed == 0) report_.first_failed = report_.cases + counts_.cases;
    hung_ = j.verdict == Verdict::timeout;
    crashes_ += result.status != CallStatus::returned;
    if (counts_.failed <= static_cast<int64_t>(kKeepPerFamily)) {
      failures_.push_back(
          {counts_.family, p.spec, std::move(p.problem), std::move(p.expected), std::move(result), std::move(j)});
    }
  }

  Suspect suspect_;
  const MakeProblem& make_;
  KernelReport& report_;
  FamilyCount counts_;
  std::vector<Pending> batch_;
  std::vector<Failed> failures_;
  std::map<std::string, int64_t> skips_;
  bool hung_ = false;
  bool cut_ = false;
  int crashes_ = 0;
};

std::string number(double v) {
  return std::fabs(v) < 0x1p53 && v == std::floor(v) ? fmt::format("{:.0f}", v) : fmt::format("{:.9g}", v);
}

void side_by_side(const Failed& failed, Failure& out) {
  constexpr size_t kShown = 8;
  for (size_t i = 0; i < failed.expected.size() && out.expected.size() < kShown; ++i) {
    out.expected.push_back(number(failed.expected[i]));
    out.got.push_back(i < failed.judgement.got.size() ? number(failed.judgement.got[i]) : "-");
  }
}

}  // namespace

void run_kernel(Executor& executor, uint32_t kernel, const Contract& contract, const std::vector<CaseSet>& sets,
                const MakeProblem& make_any, const VerifyOptions& options, bool guarded,
                const std::function<std::string(const Case&)>& repro, KernelReport& report) {
  const Suspect suspect{executor, kernel, contract, guarded, options.force, options.timeout_ms};
  // a case says what goes in, the contract what comes out
  const MakeProblem make = [&](const Case& c) {
    Problem p = make_any(c);
    p.result = contract.result;
    p.float_out = contract.float_out;
    return p;
  };
  KernelRun run(suspect, make, report);
  for (const CaseSet& set : sets) run.family(set);
  report.skipped_cases.assign(run.skips().begin(), run.skips().end());
  std::vector<Failed>& failures = run.failures();
  if (failures.empty()) {
    report.verdict = report.cases > 0 && !run.cut() ? Verdict::pass : Verdict::skipped;
    if (run.cut()) {
      report.reason = fmt::format("interrupted after {} cases", report.cases);
    } else if (report.cases == 0) {
      report.reason = report.skipped_cases.empty() ? "no case applies" : report.skipped_cases[0].first;
    }
    return;
  }
  Failure failure;
  failure.family = failures[0].family;
  size_t based_on = 0;
  if (options.diagnose && !g_interrupted) {
    Diagnosis d = diagnose(suspect, failures);
    failure.diagnosis = d.name;
    failure.sentence = d.sentence;
    failure.evidence = d.evidence;
    based_on = d.based_on;
  } else {
    failure.diagnosis = "unknown";
    failure.sentence = "not diagnosed";
  }
  Failed smallest = failures[based_on];
  if (options.diagnose && !g_interrupted) smallest = shrink(suspect, smallest, make);
  report.verdict = smallest.judgement.verdict;
  side_by_side(smallest, failure);
  failure.case_text = to_string(smallest.spec);
  failure.repro = repro(smallest.spec);
  report.failure = std::move(failure);
}

}  // namespace tritcheck
