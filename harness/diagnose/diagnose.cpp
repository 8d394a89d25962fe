#include "harness/diagnose/diagnose.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/diagnose/steps.h"
#include "harness/foreign/steps.h"

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

Base base_of(const Failed& f, size_t index) {
  return {index, f.problem().k, f.problem().n, f.judgement.wrong.empty() ? 0 : f.judgement.wrong[0]};
}

// Arithmetic: what the kernel computes instead, from the outside (rows) to the inside (lanes).
Found by_values(const Asker& ask, const Failed& f, size_t index, std::span<const Failed> failures) {
  Base base = base_of(f, index);
  if (f.judgement.got.empty()) {
    // the failing call never returned; in roomy memory it may
    const Answer roomy = ask.ask(f.problem());
    if (!roomy.returned) return rows_misplaced(ask, f);
    for (int32_t i = 0; i < f.problem().n; ++i) {
      if (roomy.values[static_cast<size_t>(i)] != f.expected().values[static_cast<size_t>(i)]) {
        base.output = i;
        break;
      }
    }
  }
  Found d = rows_misplaced(ask, f);
  if (!d) d = scales(ask, base);
  if (!d) d = offsets_and_codes(ask, base);
  bool plain = false;
  if (!d) d = structure(ask, base, plain);
  if (!d && plain) d = magnitudes(ask, base, failures);
  if (!d && plain) d = shortcuts(ask, base, failures);
  if (d) d->based_on = index;
  return d;
}

// The same question, with another in between: a kernel that keeps something answers differently.
Found unsteady(const Asker& ask, const Failed& f) {
  Problem other = f.problem();
  for (uint8_t& q : other.y) q = static_cast<uint8_t>(static_cast<int8_t>(q) / 2 + 1);
  for (uint8_t& codes : other.x) codes = 0x55;
  // the distances between equal ones are odd and even: what changes with every other call is seen too
  const Problem asked[] = {f.problem(), other, f.problem(), f.problem(), other, f.problem()};
  constexpr size_t kBefore[] = {0, 0, 0, 2, 1, 3};
  const std::vector<Answer> answers = ask.ask(std::span(asked));
  for (size_t i = 2; i < answers.size(); ++i) {
    const Answer& before = answers[kBefore[i]];
    if (!answers[i].returned || !before.returned) return std::nullopt;
    if (answers[i].words == before.words) continue;
    const auto at = static_cast<size_t>(f.judgement.wrong.empty() ? 0 : f.judgement.wrong[0]);
    Diagnosis d;
    d.name = "nondeterministic";
    d.sentence = "the same call gives different results: the kernel keeps something from call to call";
    d.evidence = {fmt::format("result {}: first {:.9g}, then {:.9g}, on the same data in the same memory", at,
                              before.values[at], answers[i].values[at])};
    return d;
  }
  return std::nullopt;
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

Diagnosis unknown(std::span<const Failed> failures) {
  Diagnosis d;
  d.sentence = "no known cause reproduces what this kernel does";
  std::vector<std::string> families;
  for (const Failed& f : failures) {
    if (std::find(families.begin(), families.end(), f.family) == families.end()) families.push_back(f.family);
  }
  std::string list;
  for (const std::string& f : families) list += (list.empty() ? "" : ", ") + f;
  d.evidence.push_back("probe families that fail: " + list);
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
  if (!suspect.info.of_i2_s()) return foreign::diagnose_blocks(suspect, failures);
  const Asker ask(suspect);
  if (auto d = hang_or_death(ask, failures)) return *d;
  for (size_t i = 0; i < failures.size(); ++i) {
    if (failures[i].problem().out_stride < 2) continue;
    if (auto d = outputs_misplaced(ask, failures[i])) {
      d->based_on = i;
      return *d;
    }
    break;
  }
  for (const Failed& f : failures) {
    if (f.judgement.verdict != Verdict::mismatch && f.judgement.verdict != Verdict::nondeterministic) continue;
    if (auto d = unsteady(ask, f)) {
      d->based_on = static_cast<size_t>(&f - failures.data());
      return *d;
    }
    break;
  }
  for (size_t i : candidates(failures, Verdict::mismatch)) {
    if (auto d = by_values(ask, failures[i], i, failures)) return *d;
  }
  for (Verdict v :
       {Verdict::over_write, Verdict::clobbered, Verdict::over_read, Verdict::nondeterministic, Verdict::unwritten}) {
    for (size_t i : candidates(failures, v)) {
      const Failed& f = failures[i];
      const Answer roomy = ask.ask(f.problem());
      // wrong in roomy memory too, and not merely what the poisoned registers make of it: a wrong place was read
      const bool values = roomy.returned && roomy.values != f.expected().values && v != Verdict::unwritten &&
                          v != Verdict::clobbered &&
                          (v != Verdict::nondeterministic || roomy.values != f.judgement.got);
      if (values) {
        if (auto d = by_values(ask, f, i, failures)) return *d;
      }
      if (auto d = memory_misuse(ask, f)) {
        d->based_on = i;
        return *d;
      }
    }
  }
  return unknown(failures);
}

}  // namespace tritcheck
