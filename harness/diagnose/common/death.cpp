// Death and hanging.
#include <fmt/format.h>

#include <csignal>

#include "harness/diagnose/common/places.h"
#include "harness/diagnose/common/signals.h"
#include "harness/diagnose/common/steps.h"

namespace tritcheck {
namespace {

bool returns(const Suspect& suspect, const Problem& problem, bool guarded) {
  return suspect.call(problem, guarded).status == CallStatus::returned;
}

// It lives if all buffers are as aligned as an allocator makes them.
Found misaligned(const Suspect& suspect, const Failed& f) {
  const CallResult& r = f.result;
  const Problem& p = f.problem();
  const auto found = [](std::string evidence) {
    return Diagnosis{"misaligned",
                     "the kernel dies when a buffer is less aligned than it wants; its contract demands no more",
                     {std::move(evidence)}};
  };
  if (p.w_offset != 0 || p.q_offset != 0 || p.out_offset != 0) {
    Problem aligned = p;
    aligned.w_offset = aligned.q_offset = aligned.out_offset = 0;
    if (returns(suspect, aligned, suspect.guarded)) {
      return found(fmt::format("{} with start offsets weights + {}, activations + {}, output + {}; none with offsets 0",
                               name_of_signal(r.signal), p.w_offset, p.q_offset, p.out_offset));
    }
  }
  if (r.no_address && returns(suspect, p, false)) {
    return found(
        fmt::format("{} without an address, where buffers end at a guard page; none where all begin at a "
                    "multiple of 64 bytes",
                    name_of_signal(r.signal)));
  }
  return std::nullopt;
}

Found death(const Suspect& suspect, const Failed& f, const WildAddress& wild) {
  const CallResult& r = f.result;
  if (r.status == CallStatus::timed_out) {
    Diagnosis d{"hang", "the kernel does not come back within its time limit", {first_at(f)}};
    if (!r.note.empty()) d.evidence.push_back(r.note);
    return d;
  }
  if (r.status == CallStatus::lost) return Diagnosis{"crash", kProcessLost, {r.note}};
  if (r.status != CallStatus::crashed) return std::nullopt;
  if (r.signal == SIGILL)
    return Diagnosis{"illegal-instruction", "the CPU does not know an instruction of this kernel", {first_at(f)}};
  if (r.null_pc) return Diagnosis{"null-call", "the kernel calls a function through a null pointer", {first_at(f)}};
  if (Found d = misaligned(suspect, f)) return d;
  // a guard page: what it computes may tell why
  if (r.fault_buffer != Buffer::none && !r.fault_inside) return std::nullopt;
  if (r.fault_inside) {
    return Diagnosis{"input-written",
                     fmt::format("the kernel faults {}", place_of_fault(f)),
                     {fmt::format("{} in run {}", name_of_signal(r.signal), r.run)}};
  }
  if (Found d = wild(suspect, f)) return d;
  const bool memory = r.signal == SIGSEGV || r.signal == SIGBUS;
  return Diagnosis{"crash",
                   fmt::format("the kernel dies of {}{}", name_of_signal(r.signal),
                               memory ? " at an address that belongs to none of its buffers" : ""),
                   {fmt::format("{}, run {}", first_at(f), r.run)}};
}

}  // namespace

Found hang_or_death(const Suspect& suspect, std::span<const Failed> failures, const WildAddress& wild) {
  for (size_t i = 0; i < failures.size(); ++i) {
    if (Found d = death(suspect, failures[i], wild)) {
      d->based_on = i;
      return d;
    }
  }
  return std::nullopt;
}

}  // namespace tritcheck
