// Several threads in one kernel at the same time.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "harness/runner/calls.h"

namespace tritcheck {
namespace {

// Threads that share a core meet only where one is interrupted inside the kernel, so it goes on until that has happened
// often enough; where each has a core of its own they meet all the time.
constexpr auto kLeast = std::chrono::milliseconds(20);
constexpr auto kMost = std::chrono::milliseconds(250);
constexpr long kInterruptions = 24;

long interruptions() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return used.ru_nivcsw;
}

// The kernel, called plainly: registers and stack are looked after in the other calls, and belong to one thread at a
// time.
void call_plainly(const Caller::Entry& entry, const CallRequest& r, int64_t k, const uint8_t* weights,
                  const int8_t* activations, std::vector<uint32_t>& out) {
  const Function& f = entry.function;
  auto* floats = reinterpret_cast<float*>(out.data());
  if (f.vec_dot != nullptr) {
    f.vec_dot(static_cast<int>(k), floats, r.out_stride, weights, (f.fake_bytes ? 4 : 1) * r.w_stride, activations,
              r.q_stride, r.nrc);
  } else if (f.to_float != nullptr) {
    f.to_float(weights, floats, k);
  } else if (f.from_float != nullptr) {
    f.from_float(reinterpret_cast<const float*>(weights), out.data(), k);
  } else if (entry.kernel.vec_dot != nullptr) {
    entry.kernel.vec_dot(static_cast<int>(k), floats, r.out_stride, weights, r.w_stride, activations, r.q_stride,
                         r.nrc);
  } else if (entry.kernel.gemv != nullptr) {
    // with a shorter K it takes some codes for the scale: another result, but always the same one
    entry.kernel.gemv(k, r.m, floats, weights, activations, r.act_scale, r.act_sum, r.row0, r.nrows);
  } else {
    entry.kernel.dot(k, reinterpret_cast<int32_t*>(out.data()), r.out_stride, weights, r.w_stride, activations,
                     r.q_stride, r.nrc);
  }
}

// A copy that is aligned as generously as an allocator does.
std::vector<uint64_t> aligned(const void* from, size_t bytes) {
  std::vector<uint64_t> out(bytes / 8 + 2);
  if (bytes != 0) std::memcpy(out.data(), from, bytes);
  return out;
}

}  // namespace

// Every other thread takes one unit of K less, so that what one leaves in a place they share is wrong for the next.
bool Caller::same_in_threads(const Entry& entry, const CallRequest& request, const Inputs& inputs) const {
  if (request.k <= entry.kernel.contract.k_multiple) return true;
  const std::vector<uint64_t> weights = aligned(inputs.weights.data(), inputs.weights.size());
  const std::vector<uint64_t> activations = aligned(inputs.activations.data(), inputs.activations.size());
  const auto* w = reinterpret_cast<const uint8_t*>(weights.data());
  const auto* q = reinterpret_cast<const int8_t*>(activations.data());
  const int64_t lengths[] = {request.k, request.k - entry.kernel.contract.k_multiple};
  std::vector<uint32_t> alone[2];
  for (int which : {0, 1}) {
    alone[which].assign(request.out_words, 0);
    call_plainly(entry, request, lengths[which], w, q, alone[which]);
  }
  std::atomic<int> ready{0};
  std::atomic<bool> same{true};
  std::atomic<long> interrupted{0};
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int32_t t = 0; t < request.threads; ++t) {
    threads.emplace_back([&, t] {
      const int which = t % 2;
      std::vector<uint32_t> out(request.out_words, 0);
      ++ready;
      while (ready < request.threads) std::this_thread::yield();
      long seen = interruptions();
      while (same) {
        for (int i = 0; i < 20; ++i) {
          std::fill(out.begin(), out.end(), 0);
          call_plainly(entry, request, lengths[which], w, q, out);
          if (out != alone[which]) same = false;
        }
        const long now = interruptions();
        interrupted += now - seen;
        seen = now;
        const auto elapsed = std::chrono::steady_clock::now() - start;
        if (elapsed > kMost || (elapsed > kLeast && interrupted >= kInterruptions)) break;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  return same;
}

}  // namespace tritcheck
