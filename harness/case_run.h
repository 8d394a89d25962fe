// Cases put to one kernel or function, in batches, until there is no more to be learned: the loop that both kinds
// share.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/interrupt.h"
#include "harness/base/run_report.h"
#include "harness/judge.h"
#include "harness/target.h"

namespace tritcheck {

/// What is cut short, and when.
struct CaseRunLimits {
  // Enough to run in one pipelined batch, little enough to notice an interruption soon. A family begins with batches of
  // 1, 2, 4, ... cases: where it hangs, it usually hangs early, and each hang in a batch costs its whole time limit.
  static constexpr size_t kBatchCases = 64;
  static constexpr size_t kBatchBytes = 4 << 20;
  // Failures to keep for diagnosis, and to see before a family's remaining cases are pointless.
  static constexpr size_t kKeepPerFamily = 12;
  static constexpr int64_t kEnoughPerFamily = 40;
  static constexpr int kEnoughCrashes = 3;
};

/// A Subject says what a case of its kind is and how it is put to the worker:
///
///   using Case, Pending, Failed;                                    // a case, a prepared one, one that failed
///   Pending prepare(const Case&, size_t& bytes);                    // std::invalid_argument: counted as a skip
///   CallRequest request(Pending&);
///   Executor& executor();
///   Judgement judge(const Pending&, const CallResult&);
///   Failed keep(const std::string& family, Pending&, CallResult, Judgement);
template <class Subject>
class CaseRun : CaseRunLimits {
 public:
  CaseRun(Subject subject, KernelReport& report) : subject_(std::move(subject)), report_(report) {}

  void family(std::string_view id, std::span<const typename Subject::Case> cases) {
    counts_ = {std::string(id), 0, 0};
    size_t bytes = 0;
    size_t most = 1;
    for (const auto& c : cases) {
      if (stopped()) {
        cut_ |= g_interrupted;
        break;
      }
      try {
        batch_.push_back(subject_.prepare(c, bytes));
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

  /// Fills in what was skipped and, unless something failed, the verdict with its reason. True if nothing failed.
  bool finish() {
    report_.skipped_cases.assign(skips_.begin(), skips_.end());
    if (!failures_.empty()) return false;
    report_.verdict = report_.cases > 0 && !cut_ ? Verdict::pass : Verdict::skipped;
    if (cut_) {
      report_.reason = "interrupted after " + std::to_string(report_.cases) + " cases";
    } else if (report_.cases == 0) {
      report_.reason = skips_.empty() ? "no case applies" : skips_.begin()->first;
    }
    return true;
  }

  const std::vector<typename Subject::Failed>& failures() const { return failures_; }

 private:
  bool dead() const { return hung_ || crashes_ >= kEnoughCrashes; }
  bool stopped() const { return g_interrupted || dead() || counts_.failed >= kEnoughPerFamily; }

  void flush() {
    std::vector<CallRequest> requests;
    for (auto& p : batch_) requests.push_back(subject_.request(p));
    std::vector<CallResult> results = subject_.executor().run(requests);
    for (size_t i = 0; i < results.size(); ++i) take(batch_[i], std::move(results[i]));
    batch_.clear();
  }

  void take(typename Subject::Pending& p, CallResult result) {
    if (dead()) return;
    if (result.status == CallStatus::lost && result.note == kInterruptedCall) {
      cut_ = true;
      return;
    }
    ++counts_.cases;
    Judgement j = subject_.judge(p, result);
    if (j.verdict == Verdict::pass) return;
    ++counts_.failed;
    if (report_.first_failed == 0) report_.first_failed = report_.cases + counts_.cases;
    hung_ = j.verdict == Verdict::timeout;
    crashes_ += result.status != CallStatus::returned;
    if (counts_.failed <= static_cast<int64_t>(kKeepPerFamily)) {
      failures_.push_back(subject_.keep(counts_.family, p, std::move(result), std::move(j)));
    }
  }

  Subject subject_;
  KernelReport& report_;
  FamilyCount counts_;
  std::vector<typename Subject::Pending> batch_;
  std::vector<typename Subject::Failed> failures_;
  std::map<std::string, int64_t> skips_;
  bool hung_ = false;
  bool cut_ = false;  // an interruption left cases out
  int crashes_ = 0;
};

/// Fills in the name of the failures' cause and returns the smallest one, by diagnose(failures) and shrink(failure). An
/// interruption leaves the first as it is: answers that were cut off would mislead.
template <class Failed, class Diagnose, class Shrink>
Failed explained(const std::vector<Failed>& failures, bool wanted, Diagnose diagnose, Shrink shrink, Failure& out) {
  out.family = failures[0].family;
  out.diagnosis = "unknown";
  out.sentence = "not diagnosed";
  if (!wanted || g_interrupted) return failures[0];
  const auto d = diagnose(failures);
  Failed smallest = shrink(failures[d.based_on]);
  if (g_interrupted) return failures[0];
  out.diagnosis = d.name;
  out.sentence = d.sentence;
  out.evidence = d.evidence;
  return smallest;
}

/// It came back with right results: what is wrong lies beside them, and a table of them would mislead.
inline bool results_right(const Judgement& j) {
  return j.wrong.empty() && !j.got.empty();
}

/// A result as reports print it.
std::string number_text(double v);

}  // namespace tritcheck
