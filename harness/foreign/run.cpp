#include "harness/foreign/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/case_run.h"
#include "harness/foreign/diagnose.h"
#include "harness/foreign/grids.h"
#include "harness/foreign/relations.h"

namespace tritcheck::foreign {
namespace {

// See harness/case_run.h.
struct FunctionSubject {
  using Case = foreign::Case;
  using Pending = std::shared_ptr<const Prepared>;
  using Failed = foreign::Failed;
  const Suspect& suspect;
  const Prepare& prepared;

  Pending prepare(const Case& c, size_t& bytes) const {
    Pending p = prepared(c);
    bytes += p->problem.x.size() + p->problem.y.size();
    return p;
  }
  CallRequest request(const Pending& p) const {
    CallRequest r = make_request(p->problem, suspect.kernel, suspect.guarded);
    r.cpu_limit_ms = suspect.timeout_ms;
    return r;
  }
  Executor& executor() const { return suspect.executor; }
  Judgement judge(const Pending& p, const CallResult& r) const { return foreign::judge(p->problem, p->expected, r); }
  Failed keep(const std::string& family, const Pending& p, CallResult r, Judgement j) const {
    return {family, p, std::move(r), std::move(j)};
  }
};

// The wrong results first, since a row has thousands.
void side_by_side(const Failed& failed, Failure& out) {
  constexpr size_t kShown = 8;
  if (results_right(failed.judgement)) return;
  const auto& values = failed.expected().values;
  const auto show = [&](size_t i) {
    out.expected.push_back(number_text(values[i]));
    out.outputs.push_back(static_cast<int64_t>(i));
    out.got.push_back(i < failed.judgement.got.size() ? number_text(failed.judgement.got[i]) : "-");
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

std::optional<uint32_t> reader_of(const WorkerInfo& library, const std::string& format) {
  for (uint32_t i = 0; i < library.kernels.size(); ++i) {
    const KernelInfo& k = library.kernels[i];
    if (k.role == Role::to_float && k.format == format && k.runnable) return i;
  }
  return std::nullopt;
}

std::shared_ptr<const Prepared> Preparations::get(const Case& c) {
  const auto make = [&](Problem problem) {
    auto made = std::make_shared<Prepared>();
    made->spec = c;
    made->problem = std::move(problem);
    made->expected = expected(made->problem);
    return made;
  };
  if (c.probe == "real") {
    if (model_ == nullptr) throw std::invalid_argument("a case on real blocks needs the file");
    return make(model_->problem(c));
  }
  const std::string text = to_string(c);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(text); found != known_.end()) return found->second;
  }
  auto made = make(make_problem(c));
  const std::lock_guard lock(mutex_);
  return known_.try_emplace(text, std::move(made)).first->second;
}

void run_function(const Suspect& suspect, const CaseList& only, const VerifyOptions& options,
                  Preparations& preparations, const std::function<std::string(const Case&)>& repro,
                  KernelReport& report) {
  Relations relations(suspect);
  const Prepare prepared = [&](const Case& c) {
    return grid_named(c.format) != nullptr ? relations.get(c) : preparations.get(c);
  };
  CaseRun<FunctionSubject> run({suspect, prepared}, report);
  const auto named = [](const std::vector<std::string>& list, std::string_view id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  };
  if (!only.family.empty()) {
    run.family(only.family, only.cases);
  } else {
    for (const Family& f : families()) {
      if (!options.families.empty() && !named(options.families, f.id)) continue;
      if (named(options.without_families, f.id)) continue;
      run.family(f.id, f.cases(suspect.function, options.level, options.seed));
    }
  }
  if (run.finish()) return;
  Failure failure;
  const Failed smallest = explained(
      run.failures(), options.diagnose, [&](const auto& failures) { return diagnose(suspect, failures); },
      [&](const Failed& failed) { return shrink(suspect, failed, prepared); }, failure);
  state_bound(smallest, failure.evidence);
  report.verdict = smallest.judgement.verdict;
  side_by_side(smallest, failure);
  failure.case_text = to_string(smallest.prepared->spec);
  failure.repro = repro(smallest.prepared->spec);
  report.failure = std::move(failure);
}

}  // namespace tritcheck::foreign
