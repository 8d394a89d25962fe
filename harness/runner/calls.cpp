#include "harness/runner/calls.h"

#include <algorithm>
#include <cstring>

#include "harness/protocol/wire.h"
#include "harness/runner/channel.h"
#include "harness/runner/invoke.h"
#include "harness/runner/preserved.h"

namespace tritcheck {
namespace {

void check(const CallRequest& request, const Contract& contract) {
  const auto fits = [](uint32_t offset, int align) {
    return offset < kSlack && align > 0 && offset % static_cast<uint32_t>(align) == 0;
  };
  if (!fits(request.w_offset, contract.align_w) || !fits(request.q_offset, contract.align_q) ||
      !fits(request.out_offset, contract.align_out)) {
    fail("a start offset is not a multiple of the contract's alignment, or not below " + std::to_string(kSlack));
  }
  if (request.out_words > wire::kMaxPayload / 8 || request.cpu_limit_ms <= 0) fail("a request is out of range");
}

void note_change(CallResult& result, Buffer buffer, const void* now, const void* before, size_t n) {
  if (n != 0 && std::memcmp(now, before, n) != 0) result.changed = buffer;
}

}  // namespace

const CallResult& Caller::call(uint32_t sequence, const CallRequest& request, std::span<const uint8_t> weights,
                               std::span<const int8_t> activations) {
  if (request.kernel >= entries_.size()) fail("a request names a kernel that is not here");
  const Entry& entry = entries_[request.kernel];
  result_.status = CallStatus::returned;
  result_.bytes_before = result_.bytes_after = 0;
  result_.changed = Buffer::none;
  result_.note.clear();
  result_.out_a.clear();
  result_.out_b.clear();

  const bool present = entry.kernel.dot != nullptr || entry.kernel.gemv != nullptr || entry.function.present();
  if (!present || (!entry.why_not.empty() && !request.force)) {
    result_.status = CallStatus::lost;
    result_.note = "not called: " + (entry.why_not.empty() ? std::string("not compiled here") : entry.why_not);
    return result_;
  }
  check(request, entry.kernel.contract);
  const Inputs inputs{weights, activations};
  run(sequence, Run::a, entry, request, inputs);
  if (request.guarded) run(sequence, Run::b, entry, request, inputs);
  if (request.threads > 1 && result_.note.empty() && !same_in_threads(entry, request, inputs)) {
    result_.note = kUnequalThreads;
  }
  return result_;
}

Regions Caller::place(Run which, const Contract& contract, const CallRequest& request, const Inputs& inputs) {
  const size_t sizes[] = {inputs.weights.size(), inputs.activations.size(), size_t{4} * request.out_words};
  const int aligns[] = {contract.align_w, contract.align_q, contract.align_out};
  const int overreads[] = {contract.overread_w, contract.overread_q, 0};
  const uint32_t offsets[] = {request.w_offset, request.q_offset, request.out_offset};
  Regions regions;
  for (size_t i = 0; i < regions.size(); ++i) {
    if (!request.guarded) {
      regions[i] = roomy_[i].roomy(sizes[i]);
    } else if (which == Run::a) {
      regions[i] = guarded_[i].at_end(sizes[i], static_cast<size_t>(aligns[i]), static_cast<size_t>(overreads[i]));
    } else {
      regions[i] = guarded_[i].at_start(sizes[i], offsets[i]);
    }
  }
  if (!inputs.weights.empty()) std::memcpy(regions[0].data, inputs.weights.data(), sizes[0]);
  if (!inputs.activations.empty()) std::memcpy(regions[1].data, inputs.activations.data(), sizes[1]);
  return regions;
}

void Caller::run(uint32_t sequence, Run which, const Entry& entry, const CallRequest& request, const Inputs& inputs) {
  const Regions regions = place(which, entry.kernel.contract, request, inputs);
  const auto& [weights, activations, output] = regions;
  const uint32_t canary = which == Run::a ? request.old_output : kCanaryB;
  auto& words = which == Run::a ? result_.out_a : result_.out_b;
  words.assign(request.out_words, canary);
  if (output.size != 0) std::memcpy(output.data, words.data(), output.size);

  watch_call(sequence, which, request.cpu_limit_ms, regions);
  const Arguments arguments{weights.data, reinterpret_cast<const int8_t*>(activations.data), output.data};
  const uint32_t poison = which == Run::a ? request.poison : kPoison2;
  if (entry.function.present()) {
    invoke(entry.function, request, arguments, poison);
  } else {
    invoke(entry.kernel, request, arguments, poison);
  }
  watch_done();
  if (std::string broken = not_preserved(); !broken.empty()) result_.note = std::move(broken);

  if (output.size != 0) std::memcpy(words.data(), output.data, output.size);
  note_change(result_, Buffer::weights, weights.data, inputs.weights.data(), weights.size);
  note_change(result_, Buffer::activations, activations.data, inputs.activations.data(), activations.size);
  if (!request.guarded) return;
  result_.bytes_before = std::max(result_.bytes_before, static_cast<int32_t>(output.changed_before(which)));
  result_.bytes_after = std::max(result_.bytes_after, static_cast<int32_t>(output.changed_after(which)));
}

}  // namespace tritcheck
