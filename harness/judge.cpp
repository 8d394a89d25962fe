#include "harness/judge.h"

#include <utility>

namespace tritcheck {
namespace {

Verdict verdict_of_crash(const CallResult& r) {
  if (r.signal == 0 || r.null_pc) return Verdict::crash;
  if (r.fault_buffer == Buffer::none) return Verdict::crash;
  return r.fault_write ? Verdict::over_write : Verdict::over_read;
}

// Words between results belong to nobody, and a kernel must leave them alone.
bool gap_written(const Problem& p, const std::vector<uint32_t>& words, uint32_t canary) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (i % static_cast<size_t>(p.out_stride) != 0 && words[i] != canary) return true;
  }
  return false;
}

}  // namespace

std::optional<Verdict> verdict_of_end(const CallResult& r) {
  if (r.status == CallStatus::timed_out) return Verdict::timeout;
  if (r.status == CallStatus::lost) return Verdict::crash;
  if (r.status == CallStatus::crashed) return verdict_of_crash(r);
  return std::nullopt;
}

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

Judgement judge(const Problem& p, const std::vector<double>& expected, const CallResult& r) {
  if (const auto ended = verdict_of_end(r)) return {*ended, {}, {}};

  Judgement j;
  j.got = answers(p, r.out_a);
  const bool twice = !r.out_b.empty();
  const std::vector<double> again = twice ? answers(p, r.out_b) : j.got;
  std::vector<int32_t> unwritten;
  std::vector<int32_t> differing;
  for (int32_t i = 0; i < p.n; ++i) {
    const auto at = static_cast<size_t>(i);
    const auto word = static_cast<size_t>(i * p.out_stride);
    const bool right = j.got[at] == expected[at] && again[at] == expected[at];
    if (right) continue;
    j.wrong.push_back(i);
    if (j.got[at] == expected[at]) j.got[at] = again[at];
    if (r.out_a[word] == kCanaryA && (!twice || r.out_b[word] == kCanaryB)) {
      unwritten.push_back(i);
    } else if (twice && r.out_a[word] != r.out_b[word]) {
      differing.push_back(i);
    }
  }
  const bool stray = gap_written(p, r.out_a, kCanaryA) || (twice && gap_written(p, r.out_b, kCanaryB));
  settle(j, stray, r, std::move(unwritten), std::move(differing));
  return j;
}

}  // namespace tritcheck
