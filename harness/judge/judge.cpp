#include "harness/judge/judge.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

namespace tritcheck {
namespace {

Verdict verdict_of_crash(const CallResult& r) {
  if (r.signal == 0 || r.null_pc) return Verdict::crash;
  if (r.fault_buffer == Buffer::none) return Verdict::crash;
  return r.fault_write ? Verdict::over_write : Verdict::over_read;
}

// The verdict of a call that did not return; nothing if it did.
std::optional<Verdict> verdict_of_end(const CallResult& r) {
  if (r.status == CallStatus::timed_out) return Verdict::timeout;
  if (r.status == CallStatus::lost) return Verdict::crash;
  if (r.status == CallStatus::crashed) return verdict_of_crash(r);
  return std::nullopt;
}

// The verdict of a call that returned, and `wrong` narrowed to what it is about. `stray`: something was written that
// was not the call's own; j.wrong holds the wrong results, of which some were never written, or differ between the
// runs.
void settle(Judgement& j, bool stray, const CallResult& r, std::vector<int32_t> unwritten,
            std::vector<int32_t> differing) {
  if (stray || r.changed != Buffer::none || r.bytes_before != 0 || r.bytes_after != 0) {
    j.verdict = Verdict::over_write;
  } else if (!r.note.empty()) {
    j.verdict = r.note == kUnequalThreads ? Verdict::nondeterministic : Verdict::clobbered;
  } else if (!unwritten.empty()) {
    j.verdict = Verdict::unwritten;
    j.wrong = std::move(unwritten);
  } else if (!differing.empty()) {
    j.verdict = Verdict::nondeterministic;
    j.wrong = std::move(differing);
  } else if (!j.wrong.empty()) {
    j.verdict = Verdict::mismatch;
  }
}

bool right(double got, double value, double bound) {
  if (std::isinf(value) && bound == 0) return got == value;
  if (!std::isfinite(value)) return !std::isfinite(got);
  return bound == HUGE_VAL || std::fabs(got - value) <= bound;
}

// Words between results belong to nobody.
bool gap_written(const Expectation& e, const std::vector<uint32_t>& words, uint32_t canary) {
  if (e.words.empty()) return false;
  std::vector<bool> results(words.size());  // a row has thousands
  for (const size_t w : e.words) results[w] = true;
  for (size_t i = 0; i < words.size(); ++i) {
    if (!results[i] && words[i] != canary) return true;
  }
  return false;
}

// The bytes behind the last block in its word are not the function's.
bool tail_written(const Problem& p, const Expectation& e, const std::vector<uint32_t>& words, uint32_t canary) {
  if (p.op != Op::from_float) return false;
  const auto* bytes = reinterpret_cast<const uint8_t*>(words.data());
  const auto* pattern = reinterpret_cast<const uint8_t*>(&canary);
  for (size_t i = e.values.size(); i < words.size() * 4; ++i) {
    if (bytes[i] != pattern[i % 4]) return true;
  }
  return false;
}

// Which results are wrong; for a quantiser those that differ from the nearest of the right rows.
std::vector<int32_t> wrong_ones(const Problem& p, const Expectation& e, const std::vector<double>& got) {
  std::vector<int32_t> wrong;
  if (p.op != Op::from_float) {
    for (size_t i = 0; i < got.size(); ++i) {
      if (!right(got[i], e.values[i], e.bounds[i])) wrong.push_back(static_cast<int32_t>(i));
    }
    return wrong;
  }
  bool first = true;
  for (const std::vector<uint8_t>& row : e.rows) {
    std::vector<int32_t> here;
    for (size_t i = 0; i < got.size(); ++i) {
      if (!e.ignored[i] && got[i] != row[i]) here.push_back(static_cast<int32_t>(i));
    }
    if (first || here.size() < wrong.size()) wrong = here;
    first = false;
  }
  return wrong;
}

}  // namespace

Judgement judge(const Problem& p, const Expectation& e, const CallResult& r) {
  if (const auto ended = verdict_of_end(r)) return {*ended, {}, {}};
  Judgement j;
  j.got = answers(p, r.out_a);
  const bool twice = !r.out_b.empty();
  j.wrong = wrong_ones(p, e, j.got);
  std::vector<int32_t> unwritten;
  std::vector<int32_t> differing;
  if (twice) {
    const std::vector<double> again = answers(p, r.out_b);
    const std::vector<int32_t> wrong_again = wrong_ones(p, e, again);
    std::vector<int32_t> either;
    std::ranges::set_union(j.wrong, wrong_again, std::back_inserter(either));
    // the wrong answer is shown, in whichever run it came
    for (const int32_t i : wrong_again) {
      if (!std::ranges::binary_search(j.wrong, i)) j.got[static_cast<size_t>(i)] = again[static_cast<size_t>(i)];
    }
    j.wrong = std::move(either);
  }
  for (const int32_t i : j.wrong) {
    const auto at = static_cast<size_t>(i);
    const bool bytes = p.op == Op::from_float;
    const size_t word = bytes ? at / 4 : e.words[at];
    // a byte of a quantiser's row, or the whole word of a result: two NaNs with different bits are different too
    const auto part = [&](uint32_t w) { return bytes ? w >> (8 * (at % 4)) & 0xFF : w; };
    const uint32_t a = part(r.out_a[word]);
    if (a == part(kCanaryA) && (!twice || part(r.out_b[word]) == part(kCanaryB))) {
      unwritten.push_back(i);
    } else if (twice && a != part(r.out_b[word])) {
      differing.push_back(i);
    }
  }
  const bool stray = gap_written(e, r.out_a, kCanaryA) || tail_written(p, e, r.out_a, kCanaryA) ||
                     (twice && (gap_written(e, r.out_b, kCanaryB) || tail_written(p, e, r.out_b, kCanaryB)));
  settle(j, stray, r, std::move(unwritten), std::move(differing));
  return j;
}

}  // namespace tritcheck
