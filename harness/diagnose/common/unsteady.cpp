// A kernel that keeps something from call to call answers the same question differently.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "harness/diagnose/common/steps.h"

namespace tritcheck {
namespace {

// A legal question of the same shape with other data: codes of 1 and halved activations, or blocks of zeros.
Problem another(Problem p) {
  for (uint8_t& codes : p.x) codes = p.of_i2_s() ? 0x55 : 0;
  for (uint8_t& q : p.y) q = p.of_i2_s() ? static_cast<uint8_t>(static_cast<int8_t>(q) / 2 + 1) : 0;
  return p;
}

}  // namespace

Found unsteady(const Suspect& suspect, std::span<const Failed> failures) {
  const auto doubtful = [](const Failed& f) {
    return f.judgement.verdict == Verdict::mismatch || f.judgement.verdict == Verdict::nondeterministic;
  };
  const auto found = std::ranges::find_if(failures, doubtful);
  if (found == failures.end()) return std::nullopt;
  const Failed& f = *found;
  const Problem other = another(f.problem());
  // the distances between equal ones are odd and even: what changes with every other call is seen too
  std::vector<CallRequest> requests;
  for (const Problem* p : {&f.problem(), &other, &f.problem(), &f.problem(), &other, &f.problem()})
    requests.push_back(suspect.request(*p, false));
  constexpr size_t kBefore[] = {0, 0, 0, 2, 1, 3};
  const std::vector<CallResult> results = suspect.executor.run(requests);
  for (size_t i = 2; i < results.size(); ++i) {
    const CallResult& before = results[kBefore[i]];
    if (results[i].status != CallStatus::returned || before.status != CallStatus::returned) return std::nullopt;
    const auto words = [&](const CallResult& r) { return results_of(f.problem(), f.expected(), r.out_a); };
    if (words(results[i]) == words(before)) continue;
    const std::vector<double> first = answers(f.problem(), before.out_a);
    const std::vector<double> then = answers(f.problem(), results[i].out_a);
    const auto differs = std::ranges::mismatch(first, then, [](double a, double b) { return a == b; });
    const auto at = static_cast<size_t>(differs.in1 == first.end() ? 0 : std::distance(first.begin(), differs.in1));
    Diagnosis d{"nondeterministic",
                "the same call gives different results: the kernel keeps something from call to call",
                {fmt::format("result {}: first {:.9g}, then {:.9g}, on the same data in the same memory", at,
                             first.at(at), then.at(at))}};
    d.based_on = static_cast<size_t>(&f - failures.data());
    return d;
  }
  return std::nullopt;
}

}  // namespace tritcheck
