// What needs no arithmetic: death, hanging, and touching memory that is not the kernel's.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "harness/diagnose/dependence.h"
#include "harness/diagnose/signals.h"
#include "harness/diagnose/steps.h"

namespace tritcheck {
namespace {

std::string_view name(Buffer b) {
  constexpr std::string_view names[] = {"no buffer", "the weights", "the activations", "the output"};
  return names[static_cast<int>(b)];
}

std::string where(const CallResult& r) {
  if (r.fault_inside) return fmt::format("at byte {} of {}", r.fault_distance, name(r.fault_buffer));
  return r.fault_distance >= 0 ? fmt::format("{} bytes past the end of {}", r.fault_distance, name(r.fault_buffer))
                               : fmt::format("{} bytes before {}", -r.fault_distance, name(r.fault_buffer));
}

bool offsets_used(const Problem& p) {
  return p.w_offset != 0 || p.q_offset != 0 || p.out_offset != 0;
}

Problem at_offset_zero(Problem p) {
  p.w_offset = p.q_offset = p.out_offset = 0;
  return p;
}

}  // namespace

Found hang_or_death(const Asker& ask, std::span<const Failed> failures) {
  for (const Failed& f : failures) {
    const CallResult& r = f.result;
    Diagnosis d;
    d.based_on = static_cast<size_t>(&f - failures.data());
    if (r.status == CallStatus::timed_out) {
      d.name = "hang";
      d.sentence = "the kernel does not come back within its time limit";
      d.evidence = {fmt::format("first at K = {}, n = {}", f.problem().k, f.problem().n)};
      if (!r.note.empty()) d.evidence.push_back(r.note);
      return d;
    }
    if (r.status == CallStatus::lost) {
      d.name = "crash";
      d.sentence = kProcessLost;
      d.evidence = {r.note};
      return d;
    }
    if (r.status != CallStatus::crashed) continue;
    if (r.signal == SIGILL) {
      d.name = "illegal-instruction";
      d.sentence = "the CPU does not know an instruction of this kernel";
      return d;
    }
    if (r.null_pc) {
      d.name = "null-call";
      d.sentence = "the kernel calls a function through a null pointer";
      return d;
    }
    if (r.fault_buffer != Buffer::none && !r.fault_inside) continue;
    if (offsets_used(f.problem()) && ask.call(at_offset_zero(f.problem())).status == CallStatus::returned) {
      d.name = "misaligned";
      d.sentence = "the kernel dies when a buffer is not aligned; its contract demands no alignment";
      d.evidence = {
          fmt::format("{} with start offsets weights + {}, activations + {}, output + {}; none with offsets 0",
                      name_of_signal(r.signal), f.problem().w_offset, f.problem().q_offset, f.problem().out_offset)};
      return d;
    }
    if (r.no_address && ask.ask(f.problem()).returned) {
      d.name = "misaligned";
      d.sentence = "the kernel dies when a buffer is not aligned; its contract demands no alignment";
      d.evidence = {
          fmt::format("{} without an address, where buffers end at a guard page; none where all begin at a "
                      "multiple of 64 bytes",
                      name_of_signal(r.signal))};
      return d;
    }
    if (r.fault_inside) {
      d.name = "input-written";
      d.sentence = fmt::format("the kernel faults {}", where(r));
      d.evidence = {fmt::format("{} in run {}", name_of_signal(r.signal), r.run)};
      return d;
    }
    // a wild address: a wrong stride or count can cause it, which only its answers in roomy memory tell
    if (auto rows = rows_misplaced(ask, f)) {
      rows->based_on = d.based_on;
      return rows;
    }
    d.name = "crash";
    const bool memory = r.signal == SIGSEGV || r.signal == SIGBUS;
    d.sentence = fmt::format("the kernel dies of {}{}", name_of_signal(r.signal),
                             memory ? " at an address that belongs to none of its buffers" : "");
    d.evidence = {fmt::format("first at K = {}, n = {}, run {}", f.problem().k, f.problem().n, r.run)};
    return d;
  }
  return std::nullopt;
}

Found memory_misuse(const Asker& ask, const Failed& f) {
  const CallResult& r = f.result;
  Diagnosis d;
  if (r.status == CallStatus::crashed) {
    d.name = f.judgement.verdict == Verdict::over_write ? "over-write" : "over-read";
    d.sentence = fmt::format("the kernel {} memory {}", d.name == "over-write" ? "writes" : "reads", where(r));
    d.evidence = {fmt::format("{} in run {} ({}), K = {}", name_of_signal(r.signal), r.run,
                              r.run == 'A' ? "buffers end at a guard page" : "buffers start at a guard page",
                              f.problem().k)};
    if (ask.right(f.problem())) d.evidence.push_back("the results are right when that memory may be touched");
    return d;
  }
  if (r.changed != Buffer::none) {
    d.name = "input-written";
    d.sentence = fmt::format("the kernel writes into {}, which belong to its caller", name(r.changed));
    return d;
  }
  if (r.bytes_before != 0 || r.bytes_after != 0) {
    d.name = "over-write";
    d.sentence = r.bytes_after != 0
                     ? fmt::format("the kernel writes up to {} bytes past the end of its output", r.bytes_after)
                     : fmt::format("the kernel writes up to {} bytes before its output", r.bytes_before);
    return d;
  }
  if (f.judgement.verdict == Verdict::over_write) {
    d.name = "over-write";
    d.sentence = "the kernel writes between the results, where out_stride leaves words that are not its own";
    return d;
  }
  if (f.judgement.verdict == Verdict::clobbered) {
    d.name = "clobbered-state";
    d.sentence = "the kernel does not keep what belongs to its caller: " + r.note;
    d.evidence = {fmt::format("first at K = {}, n = {}", f.problem().k, f.problem().n)};
    return d;
  }
  if (f.judgement.verdict == Verdict::unwritten) {
    const std::vector<int64_t> which(f.judgement.wrong.begin(), f.judgement.wrong.end());
    d.name = "unwritten";
    d.sentence = static_cast<int32_t>(which.size()) == f.problem().n
                     ? "no result was ever written"
                     : fmt::format("results {} of {} were never written", ranges(which), f.problem().n);
    d.evidence = {"the output still holds what it was filled with before, two different patterns in two runs"};
    return d;
  }
  if (r.note == kUnequalThreads || f.judgement.verdict == Verdict::nondeterministic) {
    const auto stride = static_cast<size_t>(f.problem().out_stride);
    const DoubtfulCall call{ask.request(f.problem(), ask.guarded()), r,
                            [&](const std::vector<uint32_t>& words) {
                              std::vector<uint32_t> out;
                              for (size_t j = 0; j < static_cast<size_t>(f.problem().n); ++j)
                                out.push_back(words.at(j * stride));
                              return out;
                            },
                            f.problem().op == Op::gemv || f.problem().float_out};
    d = find_dependence(ask.executor(), call);
    if (!f.judgement.wrong.empty() && !r.out_b.empty()) {
      const auto i = static_cast<size_t>(f.judgement.wrong[0]);
      d.evidence.push_back(fmt::format("K = {}, result {}: {:#010x} in run A, {:#010x} in run B; expected {}",
                                       f.problem().k, i, r.out_a[i * stride], r.out_b[i * stride],
                                       f.expected().values[i]));
    }
    return d;
  }
  return std::nullopt;
}

}  // namespace tritcheck
