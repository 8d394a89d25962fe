// Memory that is not the kernel's, results that it leaves out, and what else than its operands they depend on.
#include <fmt/format.h>

#include <algorithm>

#include "harness/diagnose/common/dependence.h"
#include "harness/diagnose/common/places.h"
#include "harness/diagnose/common/signals.h"
#include "harness/diagnose/common/steps.h"

namespace tritcheck {
namespace {

Diagnosis touched(const Suspect& suspect, const Failed& f) {
  const CallResult& r = f.result;
  const bool write = f.judgement.verdict == Verdict::over_write;
  Diagnosis d{
      write ? "over-write" : "over-read",
      fmt::format("the kernel {} memory {}", write ? "writes" : "reads", place_of_fault(f)),
      {fmt::format("{} in run {} ({}), K = {}", name_of_signal(r.signal), r.run,
                   r.run == 'A' ? "buffers end at a guard page" : "buffers start at a guard page", f.problem().k)}};
  const CallResult roomy = suspect.call(f.problem(), false);
  if (roomy.status == CallStatus::returned && judge(f.problem(), f.expected(), roomy).wrong.empty())
    d.evidence.push_back("the results are right when that memory may be touched");
  return d;
}

Diagnosis stray(const Failed& f) {
  const CallResult& r = f.result;
  return {"over-write",
          r.bytes_after != 0 ? fmt::format("the kernel writes up to {} bytes past the end of its output", r.bytes_after)
          : r.bytes_before != 0 ? fmt::format("the kernel writes up to {} bytes before its output", r.bytes_before)
                                : "the kernel writes between or behind the results, where nothing is its own",
          {first_at(f)}};
}

Diagnosis unwritten(const Failed& f) {
  const std::vector<int64_t> which(f.judgement.wrong.begin(), f.judgement.wrong.end());
  const size_t all = f.expected().values.size();
  return {"unwritten",
          which.size() == all ? "no result was ever written"
                              : fmt::format("results {} of {} were never written", ranges(which), all),
          {"the output still holds what it was filled with before, two different patterns in two runs", first_at(f)}};
}

Diagnosis doubtful(const Suspect& suspect, const Failed& f) {
  const Problem& p = f.problem();
  const Expectation& e = f.expected();
  const bool floats = p.op != Op::from_float && (!p.of_i2_s() || p.op == Op::gemv || p.float_out);
  const DoubtfulCall call{suspect.request(p), f.result,
                          [&](const std::vector<uint32_t>& words) { return results_of(p, e, words); }, floats};
  Diagnosis d = find_dependence(suspect.executor, call);
  d.evidence.push_back(first_at(f));
  if (!f.judgement.wrong.empty() && !f.result.out_b.empty() && p.op != Op::from_float) {
    const auto i = static_cast<size_t>(f.judgement.wrong[0]);
    d.evidence.push_back(fmt::format("result {}: {:#010x} in run A, {:#010x} in run B; expected {:.9g}", i,
                                     f.result.out_a[e.words[i]], f.result.out_b[e.words[i]], e.values[i]));
  }
  return d;
}

}  // namespace

std::string first_at(const Failed& failure) {
  return fmt::format("first at K = {}, n = {}", failure.problem().k, failure.problem().n);
}

std::vector<uint32_t> results_of(const Problem& p, const Expectation& e, const std::vector<uint32_t>& words) {
  std::vector<uint32_t> out;
  if (p.op == Op::from_float) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(words.data());
    for (size_t i = 0; i < e.values.size() && i < words.size() * 4; ++i) {
      if (!e.ignored[i]) out.push_back(bytes[i]);
    }
    return out;
  }
  for (const size_t w : e.words) {
    if (w < words.size()) out.push_back(words[w]);
  }
  return out;
}

Found misuse(const Suspect& suspect, const Failed& f) {
  const CallResult& r = f.result;
  if (r.status == CallStatus::crashed) return touched(suspect, f);
  if (r.changed != Buffer::none) {
    return Diagnosis{
        "input-written",
        fmt::format("the kernel writes into {}, which belong to its caller", name_of(r.changed, f.problem())),
        {first_at(f)}};
  }
  if (r.bytes_before != 0 || r.bytes_after != 0) return stray(f);
  switch (f.judgement.verdict) {
    case Verdict::over_write:
      return stray(f);
    case Verdict::clobbered:
      return Diagnosis{
          "clobbered-state", "the kernel does not keep what belongs to its caller: " + r.note, {first_at(f)}};
    case Verdict::unwritten:
      return unwritten(f);
    case Verdict::nondeterministic:
      return doubtful(suspect, f);
    default:
      return std::nullopt;
  }
}

}  // namespace tritcheck
