#include "harness/verify/kernel_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/base/interrupt.h"
#include "harness/cases/grids.h"
#include "harness/diagnose/blocks/relations.h"

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

class CaseRun {
 public:
  CaseRun(const Suspect& suspect, const Prepare& prepare, KernelReport& report)
      : suspect_(suspect), prepare_(prepare), report_(report) {}

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
        batch_.push_back(prepare_(c));
      } catch (const std::invalid_argument& e) {
        ++skips_[e.what()];
        continue;
      }
      bytes += batch_.back()->problem.x.size() + batch_.back()->problem.y.size();
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

  // Fills in what was skipped and, unless something failed, the verdict with its reason. True if nothing failed.
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

  const std::vector<Failed>& failures() const { return failures_; }

 private:
  bool dead() const { return hung_ || crashes_ >= kEnoughCrashes; }
  bool stopped() const { return g_interrupted || dead() || counts_.failed >= kEnoughPerFamily; }

  void flush() {
    std::vector<CallRequest> requests;
    for (const auto& p : batch_) requests.push_back(suspect_.request(p->problem));
    std::vector<CallResult> results = suspect_.executor.run(requests);
    for (size_t i = 0; i < results.size(); ++i) take(batch_[i], std::move(results[i]));
    batch_.clear();
  }

  void take(const std::shared_ptr<const Prepared>& p, CallResult result) {
    if (dead()) return;
    if (result.status == CallStatus::lost && result.note == kInterruptedCall) {
      cut_ = true;
      return;
    }
    ++counts_.cases;
    Judgement j = judge(p->problem, p->expected, result);
    if (j.verdict == Verdict::pass) return;
    ++counts_.failed;
    if (report_.first_failed == 0) report_.first_failed = report_.cases + counts_.cases;
    hung_ = j.verdict == Verdict::timeout;
    crashes_ += result.status != CallStatus::returned;
    if (counts_.failed <= static_cast<int64_t>(kKeepPerFamily))
      failures_.push_back({counts_.family, p, std::move(result), std::move(j)});
  }

  const Suspect& suspect_;
  const Prepare& prepare_;
  KernelReport& report_;
  FamilyCount counts_;
  std::vector<std::shared_ptr<const Prepared>> batch_;
  std::vector<Failed> failures_;
  std::map<std::string, int64_t> skips_;
  bool hung_ = false;
  bool cut_ = false;  // an interruption left cases out
  int crashes_ = 0;
};

// Fills in the name of the failures' cause and returns the smallest one. An interruption leaves the first as it is:
// answers that were cut off would mislead.
Failed explained(const Suspect& suspect, const std::vector<Failed>& failures, bool wanted, const Prepare& prepare,
                 Failure& out) {
  out.family = failures[0].family;
  out.diagnosis = "unknown";
  out.sentence = "not diagnosed";
  if (!wanted || g_interrupted) return failures[0];
  const Diagnosis d = diagnose(suspect, failures);
  Failed smallest = shrink(suspect, failures[d.based_on], prepare);
  if (g_interrupted) return failures[0];
  out.diagnosis = d.name;
  out.sentence = d.sentence;
  out.evidence = d.evidence;
  return smallest;
}

std::string number_text(double v) {
  return std::fabs(v) < 0x1p53 && v == std::floor(v) ? fmt::format("{:.0f}", v) : fmt::format("{:.9g}", v);
}

// The first results, which show what is wrong in relation to what is right; of a long row the wrong ones.
void side_by_side(const Failed& failed, Failure& out) {
  constexpr size_t kShown = 8;
  if (results_right(failed.judgement)) return;
  const auto& values = failed.expected().values;
  const auto show = [&](size_t i) {
    out.expected.push_back(number_text(values[i]));
    out.outputs.push_back(static_cast<int64_t>(i));
    out.got.push_back(i < failed.judgement.got.size() ? number_text(failed.judgement.got[i]) : "-");
  };
  const auto& wrong = failed.judgement.wrong;
  const bool all = wrong.empty() || (failed.problem().of_i2_s() && static_cast<size_t>(wrong.front()) < kShown);
  for (size_t i = 0; i < (all ? values.size() : wrong.size()) && out.expected.size() < kShown; ++i)
    show(all ? i : static_cast<size_t>(wrong[i]));
}

// How far off it is, beside what was allowed and what the smallest thing is that could have been lost.
void state_bound(const Failed& f, std::vector<std::string>& evidence) {
  if (f.problem().op != Op::vec_dot || f.judgement.wrong.empty() || f.judgement.got.empty()) return;
  const auto i = static_cast<size_t>(f.judgement.wrong.front());
  const double bound = f.expected().bounds[i];
  if (!std::isfinite(f.expected().values[i]) || !std::isfinite(f.judgement.got[i])) return;
  evidence.push_back(fmt::format(
      "off by {:.6g}; allowed {}; the smallest block contributes {:.6g}", f.judgement.got[i] - f.expected().values[i],
      bound == 0 ? "nothing, every order of adding is exact here" : fmt::format("{:.3g}", bound), f.expected().unit));
}

}  // namespace

std::optional<uint32_t> reader_of(const WorkerInfo& library, const std::string& format) {
  for (uint32_t i = 0; i < library.kernels.size(); ++i) {
    const KernelInfo& k = library.kernels[i];
    if (k.role == Role::function && k.contract.op == Op::to_float && k.format == format && k.runnable) return i;
  }
  return std::nullopt;
}

std::shared_ptr<const Prepared> Preparations::make(const Case& c, const Contract& contract,
                                                   const Expectation* known) const {
  if (c.probe == "real" && model_ == nullptr)
    throw std::invalid_argument("a case on real weights needs its file (--model)");
  auto made = std::make_shared<Prepared>();
  made->spec = c;
  made->problem = c.probe == "real" ? model_->problem(c) : make_problem(c);
  bind(contract, made->problem);
  made->expected = known != nullptr ? *known : expected(made->problem);
  return made;
}

std::shared_ptr<const Prepared> Preparations::get(const Case& c, const Contract& contract) {
  // rows of a file are as many as it has, and few kernels read them
  if (c.probe == "real") return make(c, contract, nullptr);
  const std::string key = fmt::format("{} {} {}", to_string(c), name(contract.result), contract.float_out);
  constexpr size_t kSmall = 16 << 10;
  const Expectation* answers = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) {
      if (const auto& whole = found->second.whole) {
        require_allowed(contract, whole->problem);
        return whole;
      }
      answers = &found->second.answers;  // nodes of a map stay where they are
    }
  }
  std::shared_ptr<const Prepared> made = make(c, contract, answers);
  if (answers != nullptr) return made;
  const std::lock_guard lock(mutex_);
  Kept& kept = known_[key];
  if (made->problem.x.size() + made->problem.y.size() <= kSmall) {
    if (!kept.whole) kept.whole = made;
    return kept.whole;
  }
  if (kept.answers.values.empty()) kept.answers = made->expected;
  return made;
}

void run_kernel(const Suspect& suspect, const std::vector<CaseSet>& sets, const VerifyOptions& options,
                Preparations& preparations, const std::function<std::string(const Case&)>& repro,
                KernelReport& report) {
  // a format without an oracle is held to the suspect's own answers
  Relations relations(suspect);
  const bool related = grid_named(suspect.info.format) != nullptr;
  const Prepare prepare = [&](const Case& c) {
    return related ? relations.get(c) : preparations.get(c, suspect.contract());
  };
  CaseRun run(suspect, prepare, report);
  for (const CaseSet& set : sets) run.family(set);
  if (run.finish()) return;
  Failure failure;
  const Failed smallest = explained(suspect, run.failures(), options.diagnose, prepare, failure);
  state_bound(smallest, failure.evidence);
  report.verdict = smallest.judgement.verdict;
  side_by_side(smallest, failure);
  failure.case_text = to_string(smallest.spec());
  failure.repro = repro(smallest.spec());
  report.failure = std::move(failure);
}

}  // namespace tritcheck
