#include "harness/kernel_run.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/case_run.h"

namespace tritcheck {
namespace {

struct Pending {
  Case spec;
  Problem problem;
  std::vector<double> expected;
  std::vector<uint8_t> packed;
};

// See case_run.h.
struct KernelSubject {
  using Case = tritcheck::Case;
  using Pending = tritcheck::Pending;
  using Failed = tritcheck::Failed;
  const Suspect& suspect;
  const MakeProblem& make;
  KnownAnswers& known;

  Pending prepare(const Case& c, size_t& bytes) const {
    Problem p = make(c);
    std::vector<uint8_t> codes = packed(p);
    std::vector<double> right = known.of(c, p, codes);
    bytes += codes.size() + p.q.size();
    return {c, std::move(p), std::move(right), std::move(codes)};
  }
  CallRequest request(Pending& p) const { return suspect.request(p.problem, std::move(p.packed), suspect.guarded); }
  Executor& executor() const { return suspect.executor; }
  Judgement judge(const Pending& p, const CallResult& r) const { return tritcheck::judge(p.problem, p.expected, r); }
  Failed keep(const std::string& family, Pending& p, CallResult r, Judgement j) const {
    return {family, p.spec, std::move(p.problem), std::move(p.expected), std::move(r), std::move(j)};
  }
};

void side_by_side(const Failed& failed, Failure& out) {
  constexpr size_t kShown = 8;
  if (results_right(failed.judgement)) return;
  for (size_t i = 0; i < failed.expected.size() && out.expected.size() < kShown; ++i) {
    out.expected.push_back(number_text(failed.expected[i]));
    out.got.push_back(i < failed.judgement.got.size() ? number_text(failed.judgement.got[i]) : "-");
  }
}

}  // namespace

std::string number_text(double v) {
  return std::fabs(v) < 0x1p53 && v == std::floor(v) ? fmt::format("{:.0f}", v) : fmt::format("{:.9g}", v);
}

std::vector<double> KnownAnswers::of(const Case& c, const Problem& problem, std::span<const uint8_t> packed) {
  // rows of a file are as many as it has, and few kernels read them
  if (c.probe == "real") return expected(problem, packed);
  const std::string key = fmt::format("{} {} {}", to_string(c), name(problem.result), problem.float_out);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
  }
  std::vector<double> right = expected(problem, packed);
  const std::lock_guard lock(mutex_);
  return known_.try_emplace(key, std::move(right)).first->second;
}

void run_kernel(Executor& executor, uint32_t kernel, const Contract& contract, const std::vector<CaseSet>& sets,
                const MakeProblem& make_any, const VerifyOptions& options, bool guarded,
                const std::function<std::string(const Case&)>& repro, KernelReport& report, KnownAnswers* known) {
  KnownAnswers own;
  const Suspect suspect{executor, kernel, contract, guarded, options.force, options.timeout_ms};
  // a case says what goes in, the contract what comes out
  const MakeProblem make = [&](const Case& c) {
    Problem p = make_any(c);
    p.result = contract.result;
    p.float_out = contract.float_out;
    return p;
  };
  CaseRun<KernelSubject> run({suspect, make, known != nullptr ? *known : own}, report);
  for (const CaseSet& set : sets) run.family(set.family, set.cases);
  if (run.finish()) return;
  Failure failure;
  const Failed smallest = explained(
      run.failures(), options.diagnose, [&](const auto& failures) { return diagnose(suspect, failures); },
      [&](const Failed& failed) { return shrink(suspect, failed, make); }, failure);
  report.verdict = smallest.judgement.verdict;
  side_by_side(smallest, failure);
  failure.case_text = to_string(smallest.spec);
  failure.repro = repro(smallest.spec);
  report.failure = std::move(failure);
}

}  // namespace tritcheck
