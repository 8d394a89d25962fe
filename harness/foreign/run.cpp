#include "harness/foreign/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "harness/foreign/diagnose.h"

namespace tritcheck::foreign {
namespace {

// As in kernel_run.cpp.
constexpr size_t kBatchCases = 64;
constexpr size_t kBatchBytes = 4 << 20;
constexpr size_t kKeepPerFamily = 12;
constexpr int64_t kEnoughPerFamily = 40;
constexpr int kEnoughCrashes = 3;

class FunctionRun {
 public:
  FunctionRun(const Suspect& suspect, Preparations& preparations, KernelReport& report)
      : suspect_(suspect), preparations_(preparations), report_(report) {}

  void family(std::string_view id, std::span<const Case> cases) {
    counts_ = {std::string(id), 0, 0};
    size_t bytes = 0;
    size_t most = 1;
    for (const Case& c : cases) {
      if (stopped()) {
        cut_ |= g_interrupted;
        break;
      }
      try {
        batch_.push_back(preparations_.get(c));
        bytes += batch_.back()->problem.x.size() + batch_.back()->problem.y.size();
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
    cut_ |= g_interrupted && !batch_.empty();
    if (!stopped()) flush();
    batch_.clear();
    if (counts_.cases > 0) report_.families.push_back(counts_);
    report_.cases += counts_.cases;
  }

  bool cut() const { return cut_; }
  const std::vector<Failed>& failures() const { return failures_; }
  const std::map<std::string, int64_t>& skips() const { return skips_; }

 private:
  bool dead() const { return hung_ || crashes_ >= kEnoughCrashes; }
  bool stopped() const { return g_interrupted || dead() || counts_.failed >= kEnoughPerFamily; }

  void flush() {
    std::vector<CallRequest> requests;
    for (const auto& p : batch_) {
      requests.push_back(make_request(p->problem, suspect_.kernel, suspect_.guarded));
      requests.back().cpu_limit_ms = suspect_.timeout_ms;
    }
    std::vector<CallResult> results = suspect_.executor.run(requests);
    for (size_t i = 0; i < results.size(); ++i) take(batch_[i], std::move(results[i]));
    batch_.clear();
  }

  void take(const std::shared_ptr<const Prepared>& p, CallResult result) {
    if (dead()) return;
    ++counts_.cases;
    Judgement j = judge(p->problem, p->expected, result);
    if (j.verdict == Verdict::pass) return;
    ++counts_.failed;
    if (report_.first_failed == 0) report_.first_failed = report_.cases + counts_.cases;
    hung_ = j.verdict == Verdict::timeout;
    crashes_ += result.status != CallStatus::returned;
    if (counts_.failed <= static_cast<int64_t>(kKeepPerFamily)) {
      failures_.push_back({counts_.family, p, std::move(result), std::move(j)});
    }
  }

  const Suspect& suspect_;
  Preparations& preparations_;
  KernelReport& report_;
  FamilyCount counts_;
  std::vector<std::shared_ptr<const Prepared>> batch_;
  std::vector<Failed> failures_;
  std::map<std::string, int64_t> skips_;
  bool hung_ = false;
  bool cut_ = false;
  int crashes_ = 0;
};

std::string number(double v) {
  return std::fabs(v) < 0x1p53 && v == std::floor(v) ? fmt::format("{:.0f}", v) : fmt::format("{:.9g}", v);
}

// The wrong results first, since a row has thousands.
void side_by_side(const Failed& failed, Failure& out) {
  constexpr size_t kShown = 8;
  const auto& values = failed.expected().values;
  const auto show = [&](size_t i) {
    out.expected.push_back(number(values[i]));
    out.got.push_back(i < failed.judgement.got.size() ? number(failed.judgement.got[i]) : "-");
  };
  for (const int32_t i : failed.judgement.wrong) {
    if (out.expected.size() < kShown) show(static_cast<size_t>(i));
  }
  if (out.expected.empty() && !values.empty()) show(0);
}

// How far off it is, beside what was allowed and what the smallest thing is that could have been lost.
void state_bound(const Failed& f, std::vector<std::string>& evidence) {
  if (f.problem().role != Role::vec_dot || f.judgement.wrong.empty() || f.judgement.got.empty()) return;
  const auto i = static_cast<size_t>(f.judgement.wrong.front());
  const double bound = f.expected().bounds[i];
  if (!std::isfinite(f.expected().values[i]) || !std::isfinite(f.judgement.got[i])) return;
  evidence.push_back(fmt::format(
      "off by {:.6g}; allowed {}; the smallest block contributes {:.6g}", f.judgement.got[i] - f.expected().values[i],
      bound == 0 ? "nothing, every order of adding is exact here" : fmt::format("{:.3g}", bound), f.expected().unit));
}

}  // namespace

std::shared_ptr<const Prepared> Preparations::get(const Case& c) {
  const std::string text = to_string(c);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(text); found != known_.end()) return found->second;
  }
  auto made = std::make_shared<Prepared>();
  made->spec = c;
  made->problem = make_problem(c);
  made->expected = expected(made->problem);
  const std::lock_guard lock(mutex_);
  return known_.try_emplace(text, std::move(made)).first->second;
}

void run_function(const Suspect& suspect, std::span<const Case> only, const VerifyOptions& options,
                  Preparations& preparations, const std::function<std::string(const Case&)>& repro,
                  KernelReport& report) {
  FunctionRun run(suspect, preparations, report);
  const auto named = [](const std::vector<std::string>& list, std::string_view id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  };
  if (!only.empty()) {
    run.family("case", only);
  } else {
    for (const Family& f : families()) {
      if (!options.families.empty() && !named(options.families, f.id)) continue;
      if (named(options.without_families, f.id)) continue;
      run.family(f.id, f.cases(suspect.function, options.level, options.seed));
    }
  }
  report.skipped_cases.assign(run.skips().begin(), run.skips().end());
  const std::vector<Failed>& failures = run.failures();
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
  failure.diagnosis = "unknown";
  failure.sentence = "not diagnosed";
  size_t based_on = 0;
  Failed smallest = failures[0];
  if (options.diagnose && !g_interrupted) {
    const Diagnosis d = diagnose(suspect, failures);
    failure.diagnosis = d.name;
    failure.sentence = d.sentence;
    failure.evidence = d.evidence;
    based_on = d.based_on;
    smallest = shrink(suspect, failures[based_on], preparations);
  }
  state_bound(smallest, failure.evidence);
  report.verdict = smallest.judgement.verdict;
  side_by_side(smallest, failure);
  failure.case_text = to_string(smallest.prepared->spec);
  failure.repro = repro(smallest.prepared->spec);
  report.failure = std::move(failure);
}

}  // namespace tritcheck::foreign
