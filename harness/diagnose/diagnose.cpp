#include "harness/diagnose/diagnose.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/diagnose/blocks/values.h"
#include "harness/diagnose/common/steps.h"
#include "harness/diagnose/i2_s/values.h"

namespace tritcheck {
namespace {

// Rows of three blocks tell the last from the middle and the first; shorter ones do not, longer ones cost more.
constexpr int64_t kTelling = 384;

bool better(const Failed& a, const Failed& b) {
  const bool a_tells = a.problem().k >= kTelling;
  const bool b_tells = b.problem().k >= kTelling;
  if (a_tells != b_tells) return a_tells;
  return a_tells ? a.problem().k < b.problem().k : a.problem().k > b.problem().k;
}

// The failures to work from, the most telling first: one long enough, one of the shortest, and one with gaps or many
// rows.
std::vector<size_t> candidates(std::span<const Failed> failures, Verdict verdict) {
  std::vector<size_t> out;
  for (size_t i = 0; i < failures.size(); ++i) {
    if (failures[i].judgement.verdict == verdict) out.push_back(i);
  }
  std::stable_sort(out.begin(), out.end(), [&](size_t a, size_t b) { return better(failures[a], failures[b]); });
  if (out.size() > 3) {
    const auto widest = std::max_element(
        out.begin(), out.end(), [&](size_t a, size_t b) { return failures[a].problem().n < failures[b].problem().n; });
    out = {out[0], out.back(), *widest};
  }
  // the same shape again would answer the same
  std::vector<size_t> distinct;
  for (size_t i : out) {
    const Failed& f = failures[i];
    const auto same = [&](size_t j) {
      const Failed& g = failures[j];
      return f.problem().k == g.problem().k && f.problem().n == g.problem().n && f.judgement.wrong == g.judgement.wrong;
    };
    if (std::none_of(distinct.begin(), distinct.end(), same)) distinct.push_back(i);
  }
  return distinct;
}

// Wrong numbers, told from the failures with this verdict.
Found wrong_values(const Suspect& suspect, std::span<const Failed> failures, std::span<const size_t> candidates) {
  if (!suspect.info.of_i2_s()) return block_steps::wrong_values(suspect, failures);
  for (const size_t i : candidates) {
    if (Found d = i2_s_steps::wrong_values(suspect, failures[i], failures)) {
      d->based_on = i;
      return d;
    }
  }
  return std::nullopt;
}

// Whether it is wrong in roomy memory too, and not merely by what the poisoned registers make of it: then it reads a
// wrong place, and what it does to memory follows from that.
bool wrong_in_roomy_memory(const Suspect& suspect, const Failed& f) {
  const Verdict v = f.judgement.verdict;
  if (v == Verdict::unwritten || v == Verdict::clobbered) return false;
  const CallResult roomy = suspect.call(f.problem(), false);
  if (roomy.status != CallStatus::returned) return false;
  const Judgement j = judge(f.problem(), f.expected(), roomy);
  return !j.wrong.empty() && (v != Verdict::nondeterministic || j.got != f.judgement.got);
}

// The name of last resort, with what is known.
Diagnosis unknown(std::span<const Failed> failures, Diagnosis d) {
  if (d.sentence.empty()) d.sentence = "the results are wrong and no cause that is known here reproduces them";
  std::vector<std::string> families;
  for (const Failed& f : failures) {
    if (std::ranges::find(families, f.family) == families.end()) families.push_back(f.family);
  }
  d.evidence.push_back(fmt::format("wrong in families {}; {}", fmt::join(families, ", "), first_at(failures.front())));
  for (const Failed& f : failures.first(std::min<size_t>(3, failures.size()))) {
    if (f.judgement.wrong.empty() || f.judgement.got.empty()) continue;
    const auto i = static_cast<size_t>(f.judgement.wrong[0]);
    d.evidence.push_back(fmt::format("{}: result {} is {:.9g}, expected {:.9g}, off by {:.9g}", to_string(f.spec()), i,
                                     f.judgement.got[i], f.expected().values[i],
                                     f.judgement.got[i] - f.expected().values[i]));
  }
  return d;
}

}  // namespace

Diagnosis diagnose(const Suspect& suspect, std::span<const Failed> failures) {
  const bool i2_s = suspect.info.of_i2_s();
  const WildAddress wild = i2_s ? i2_s_steps::wild_address : [](const Suspect&, const Failed&) { return Found(); };
  Found d = hang_or_death(suspect, failures, wild);
  if (!d) d = (i2_s ? i2_s_steps::misplaced : block_steps::misplaced)(suspect, failures);
  if (!d) d = unsteady(suspect, failures);
  if (d) return *d;
  Diagnosis measured;  // but not known
  if (const std::vector<size_t> wrong = candidates(failures, Verdict::mismatch); !wrong.empty()) {
    d = wrong_values(suspect, failures, wrong);
    if (d && d->name != "unknown") return *d;
    if (d) measured = *d;
  }
  for (const Verdict v :
       {Verdict::over_write, Verdict::clobbered, Verdict::over_read, Verdict::nondeterministic, Verdict::unwritten}) {
    for (const size_t i : candidates(failures, v)) {
      if (i2_s && wrong_in_roomy_memory(suspect, failures[i])) {
        if (d = wrong_values(suspect, failures, {&i, 1}); d) return *d;
      }
      if (d = misuse(suspect, failures[i]); d) {
        d->based_on = i;
        return *d;
      }
    }
  }
  return unknown(failures, measured);
}

}  // namespace tritcheck
