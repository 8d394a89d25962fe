#include "harness/diagnose/blocks/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/diagnose/blocks/steps.h"

namespace tritcheck::block_steps {
namespace {

bool by_value(const Failed& f) {
  return f.judgement.verdict == Verdict::mismatch;
}

// The K of the map: the shortest failing row that has a first, a middle and a last block, if possible one that does not
// only give zeros; else the longest.
const Failed* base(std::span<const Failed> failures, int64_t unit) {
  const Failed* best = nullptr;
  const auto rank = [&](const Failed& f) {
    const auto& got = f.judgement.got;
    const bool zero = std::all_of(got.begin(), got.end(), [](double v) { return v == 0; });
    return f.problem().k < 3 * unit ? 0 : zero ? 1 : 2;
  };
  for (const Failed& f : failures) {
    if (!by_value(f)) continue;
    if (best == nullptr) best = &f;
    const int here = rank(f);
    const int there = rank(*best);
    const int64_t shorter = best->problem().k - f.problem().k;
    if (here != there ? here > there : here > 0 ? shorter > 0 : shorter < 0) best = &f;
  }
  return best;
}

// Whether every failure is the right answer times one number.
bool only_factor(std::span<const Failed> failures) {
  double factor = 0;
  for (const Failed& f : failures) {
    for (const int32_t i : f.judgement.wrong) {
      const auto at = static_cast<size_t>(i);
      const double value = f.expected().values[at];
      if (!by_value(f) || !std::isfinite(value) || value == 0) continue;
      const double got = f.judgement.got[at];
      if (factor == 0) factor = got / value;
      if (!(std::fabs(got - factor * value) <= std::fabs(factor) * (f.expected().bounds[at] + 1e-5 * std::fabs(value))))
        return false;
    }
  }
  return true;
}

Found linear(const Suspect& suspect, std::span<const Failed> failures, const Failed& at, bool& plain) {
  const Lens lens(suspect, at.problem().k);
  bool plain_codes = false;
  bool plain_scales = false;
  Found d = readings(lens);
  if (!d) d = codes(lens, plain_codes);
  // with all scales 1, a scale that is read wrongly looks like a factor
  if (d && d->name == "constant-factor" && !only_factor(failures)) d = scales(lens, plain_scales);
  if (!d) d = scales(lens, plain_scales);
  plain = plain_codes && plain_scales;
  if (d) d->evidence.push_back(fmt::format("measured at K = {} by a single activation at a time", at.problem().k));
  return d;
}

// NaN or infinity from the plainest data there are. Where only special data give it, later steps know better.
Found not_finite(std::span<const Failed> failures) {
  bool plain = false;
  for (const Failed& f : failures) {
    if (!by_value(f)) return std::nullopt;
    for (const int32_t i : f.judgement.wrong) {
      const auto at = static_cast<size_t>(i);
      if (!std::isfinite(f.expected().values[at]) || std::isfinite(f.judgement.got[at])) return std::nullopt;
    }
    const std::string& probe = f.spec().probe;
    plain |= probe != "special" && probe != "extreme" && probe != "scale";
  }
  if (!plain) return std::nullopt;
  return Diagnosis{"nan-result",
                   "the result is NaN or infinite although all operands are finite and small",
                   {fmt::format("first at K = {}; every wrong result is of this kind", failures.front().problem().k)}};
}

// Only rows beyond the reach of 16 bits. Asking for their columns one at a time would take too long.
Found only_long_rows(std::span<const Failed> failures) {
  constexpr int64_t kLong = 16384;
  int64_t shortest = INT64_MAX;
  for (const Failed& f : failures) {
    if (!by_value(f)) return std::nullopt;
    shortest = std::min(shortest, f.problem().k);
  }
  if (shortest < kLong) return std::nullopt;
  return Diagnosis{"index-wrap",
                   "long rows only are wrong: an index or offset is kept in too few bits",
                   {fmt::format("right on every row that was tried up to K = {}, wrong at K = {}", kLong, shortest),
                    "16 bits reach 32767 or 65535 elements, or as many bytes: 57344 activations of q8_K"}};
}

}  // namespace

Found wrong_values(const Suspect& suspect, std::span<const Failed> failures) {
  const KernelInfo& kernel = suspect.info;
  const bool quantises = kernel.contract.op == Op::from_float;
  Found d = rows_of_two(failures);
  if (!d) d = only_long_rows(failures);
  if (!d && !quantises) d = not_finite(failures);
  if (!d) d = broken_relation(suspect, failures);
  if (!d && quantises) d = quantiser(failures);
  const Failed* at = base(failures, kernel.contract.k_multiple);
  if (d || quantises || !weights_named(kernel.format) || at == nullptr) return d;
  bool plain = false;
  d = linear(suspect, failures, *at, plain);
  // asked for one column at a time it may do something else than here
  if (d && d->name == "zero-result" && at->judgement.got.at(static_cast<size_t>(at->judgement.wrong.front())) != 0)
    d.reset();
  if (d) d->based_on = static_cast<size_t>(at - failures.data());
  if (d || !plain) return d;
  d = magnitudes(failures);
  if (!d) {
    d.emplace();
    d->evidence = {"every weight meets its own activation with its own value and scales, one at a time"};
  }
  return d;
}

}  // namespace tritcheck::block_steps
