#include "harness/diagnose/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "harness/diagnose/dependence.h"
#include "harness/diagnose/signals.h"
#include "harness/foreign/steps.h"

namespace tritcheck::foreign {
namespace {

std::string_view buffer_name(const Problem& p, Buffer b) {
  if (b == Buffer::weights) return p.op == Op::from_float ? "the floats" : "the weights";
  return b == Buffer::activations ? "the activations" : b == Buffer::output ? "the output" : "no buffer";
}

std::string where(const Problem& p, const CallResult& r) {
  const auto name = buffer_name(p, r.fault_buffer);
  if (r.fault_inside) return fmt::format("at byte {} of {}", r.fault_distance, name);
  if (r.fault_distance == 0) return fmt::format("right behind {}", name);
  return r.fault_distance >= 0 ? fmt::format("{} bytes past the end of {}", r.fault_distance, name)
                               : fmt::format("{} bytes before {}", -r.fault_distance, name);
}

Found death(const Suspect& suspect, const Failed& f) {
  const CallResult& r = f.result;
  const Problem& p = f.problem();
  const std::string first = fmt::format("first at K = {}, n = {}", p.k, p.n);
  if (r.status == CallStatus::timed_out)
    return Diagnosis{"hang", "the function does not come back within its time limit", {first, r.note}};
  if (r.status == CallStatus::lost) return Diagnosis{"crash", kProcessLost, {r.note}};
  if (r.status != CallStatus::crashed) return std::nullopt;
  if (r.signal == SIGILL)
    return Diagnosis{"illegal-instruction", "the CPU does not know an instruction of this function", {first}};
  if (r.null_pc) return Diagnosis{"null-call", "the function calls another through a null pointer", {first}};
  if (p.w_offset != 0 || p.q_offset != 0 || p.out_offset != 0) {
    Problem aligned = p;
    aligned.w_offset = aligned.q_offset = aligned.out_offset = 0;
    const CallRequest again = make_request(aligned, suspect.kernel, suspect.guarded);
    if (suspect.executor.run({&again, 1}).at(0).status == CallStatus::returned) {
      return Diagnosis{"misaligned",
                       "the function dies when a buffer is less aligned than it wants; the blocks demand no more",
                       {fmt::format("{} with start offsets x + {}, y + {}, output + {}; none with offsets 0",
                                    name_of_signal(r.signal), p.w_offset, p.q_offset, p.out_offset)}};
    }
  }
  if (r.no_address) {
    const CallRequest roomy = make_request(p, suspect.kernel, false);
    if (suspect.executor.run({&roomy, 1}).at(0).status == CallStatus::returned) {
      return Diagnosis{
          "misaligned",
          "the function dies when a buffer is less aligned than it wants; the blocks demand no more",
          {fmt::format("{} without an address, where buffers end at a guard page; none where all begin at a "
                       "multiple of 64 bytes",
                       name_of_signal(r.signal)),
           first}};
    }
  }
  const std::string how =
      fmt::format("{} in run {} ({}), K = {}", name_of_signal(r.signal), r.run,
                  r.run == 'A' ? "buffers end at a guard page" : "buffers start at a guard page", p.k);
  if (r.fault_buffer == Buffer::none) {
    const bool memory = r.signal == SIGSEGV || r.signal == SIGBUS;
    return Diagnosis{"crash",
                     fmt::format("the function dies of {}{}", name_of_signal(r.signal),
                                 memory ? " at an address that belongs to none of its buffers" : ""),
                     {first}};
  }
  if (r.fault_inside) return Diagnosis{"input-written", "the function faults " + where(p, r), {how}};
  const bool write = f.judgement.verdict == Verdict::over_write;
  return Diagnosis{write ? "over-write" : "over-read",
                   fmt::format("the function {} memory {}", write ? "writes" : "reads", where(p, r)),
                   {how}};
}

// The output words that hold results; of a quantiser's row the bytes that somebody promises.
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
  const Problem& p = f.problem();
  if (r.changed != Buffer::none) {
    return Diagnosis{"input-written",
                     fmt::format("the function writes into {}, which belong to its caller", buffer_name(p, r.changed)),
                     {fmt::format("first at K = {}, n = {}", p.k, p.n)}};
  }
  if (f.judgement.verdict == Verdict::over_write) {
    return Diagnosis{
        "over-write",
        r.bytes_after != 0 ? fmt::format("the function writes up to {} bytes past the end of its output", r.bytes_after)
        : r.bytes_before != 0 ? fmt::format("the function writes up to {} bytes before its output", r.bytes_before)
                              : "the function writes between or behind the results, where nothing is its own",
        {fmt::format("first at K = {}, n = {}", p.k, p.n)}};
  }
  if (f.judgement.verdict == Verdict::clobbered) {
    return Diagnosis{"clobbered-state",
                     "the function does not keep what belongs to its caller: " + r.note,
                     {fmt::format("first at K = {}, n = {}", p.k, p.n)}};
  }
  if (f.judgement.verdict == Verdict::unwritten) {
    const bool all = f.judgement.wrong.size() == f.expected().values.size();
    return Diagnosis{
        "unwritten",
        all ? "no result was ever written"
            : fmt::format("{} of {} results were never written", f.judgement.wrong.size(), f.expected().values.size()),
        {"the output still holds what it was filled with before, two different patterns in two runs",
         fmt::format("first at K = {}, n = {}", p.k, p.n)}};
  }
  if (r.note != kUnequalThreads && f.judgement.verdict != Verdict::nondeterministic) return std::nullopt;
  const Expectation& e = f.expected();
  const DoubtfulCall call{make_request(p, suspect.kernel, suspect.guarded), r,
                          [&](const std::vector<uint32_t>& words) { return results_of(p, e, words); },
                          p.op != Op::from_float};
  Diagnosis found = find_dependence(suspect.executor, call);
  found.evidence.push_back(fmt::format("first at K = {}, n = {}", p.k, p.n));
  return found;
}

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

Found process_and_memory(const Suspect& suspect, std::span<const Failed> failures) {
  for (const auto step : {death, misuse}) {
    for (const Failed& f : failures) {
      if (Found d = step(suspect, f)) {
        d->based_on = static_cast<size_t>(&f - failures.data());
        return d;
      }
    }
  }
  return std::nullopt;
}

Diagnosis diagnose_blocks(const Suspect& suspect, std::span<const Failed> failures) {
  if (Found d = misplaced(failures)) return *d;
  if (Found d = process_and_memory(suspect, failures)) return *d;
  Found d = rows_of_two(failures);
  if (!d) d = only_long_rows(failures);
  if (!d && suspect.info.contract.op != Op::from_float) d = not_finite(failures);
  if (!d) d = broken_relation(suspect, failures);
  if (!d && suspect.info.contract.op == Op::from_float) d = quantiser(failures);
  Diagnosis unknown;
  unknown.sentence = "the results are wrong and no cause that is known here reproduces them";
  if (!d && suspect.info.contract.op != Op::from_float && weights_named(suspect.info.format)) {
    const Failed* at = base(failures, suspect.info.contract.k_multiple);
    bool plain = false;
    if (at != nullptr) {
      d = linear(suspect, failures, *at, plain);
      // asked for one column at a time it may do something else than here
      if (d && d->name == "zero-result" && at->judgement.got.at(static_cast<size_t>(at->judgement.wrong.front())) != 0)
        d.reset();
      if (d) d->based_on = static_cast<size_t>(at - failures.data());
    }
    if (!d && plain) {
      unknown.evidence.push_back("every weight meets its own activation with its own value and scales, one at a time");
      d = magnitudes(failures);
    }
  }
  if (d) return *d;
  std::vector<std::string> families;
  for (const Failed& f : failures) {
    if (std::find(families.begin(), families.end(), f.family) == families.end()) families.push_back(f.family);
  }
  unknown.evidence.push_back(
      fmt::format("wrong in families {}; first at K = {}", fmt::join(families, ", "), failures.front().problem().k));
  return unknown;
}

}  // namespace tritcheck::foreign
