#include "harness/targets/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include "harness/base/interrupt.h"
#include "harness/protocol/messages.h"

namespace tritcheck {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr size_t kWindow = 64;
constexpr size_t kWindowBytes = size_t{1} << 20;
constexpr seconds kHelloLimit{20};
constexpr milliseconds kGrace{1000};  // for a report of the call under way
// How soon an interruption is noticed, and how long the calls under way may still take.
constexpr milliseconds kLook{200};
constexpr milliseconds kAfterInterruption{1000};

CallResult verdict(CallStatus status, std::string note) {
  CallResult result;
  result.status = status;
  result.note = std::move(note);
  return result;
}

// A worker that ended before its first word.
struct Died : std::runtime_error {
  using std::runtime_error::runtime_error;
};

bool sizes_match(const CallResult& result, const CallRequest& request) {
  if (result.status != CallStatus::returned) return result.out_a.empty() && result.out_b.empty();
  return result.out_a.size() == request.out_words && result.out_b.size() == (request.guarded ? request.out_words : 0);
}

}  // namespace

// How a request is sent after something went wrong around it.
enum class Care : uint8_t {
  none,     // with others in flight
  solo,     // with nothing else in flight: if the worker ends without a word, it was this call
  isolate,  // in a fresh worker that does nothing else
};

struct Session::Batch {
  std::span<const CallRequest> requests;
  std::vector<CallResult> results;
  std::vector<Care> care;
  std::deque<size_t> waiting;  // not sent yet
  std::deque<size_t> flight;   // sent, oldest first
  const CallRequest& front() const { return requests[flight.front()]; }
};

Session::Session(const Target& target, const SessionOptions& options)
    : command_(target.command), options_(options), generation_(kill_generation()) {
  command_.push_back(target.runner);
  if (!options_.library.empty()) command_.push_back("--library=" + options_.library);
  if (!options_.isa.empty()) command_.push_back(fmt::format("--isa={}", fmt::join(options_.isa, ",")));
  try {
    start();
  } catch (const Died& error) {
    throw StartFailure(fmt::format("target {}: {}", target.text, error.what()), true);
  } catch (const std::runtime_error& error) {
    throw StartFailure(fmt::format("target {}: {}", target.text, error.what()), false);
  }
}

void Session::start() {
  if (kill_generation() != generation_) throw std::runtime_error(kInterruptedCall);
  worker_.start(command_);
  terminating_ = false;
  const auto deadline = steady_clock::now() + kHelloLimit;
  Worker::Frame frame;
  auto got = Worker::Got::nothing;
  bool open = true;
  while (got == Worker::Got::nothing && open && steady_clock::now() < deadline) {
    check_interruption();
    open = worker_.pump(std::min(deadline, steady_clock::now() + kLook));
    got = worker_.take(frame);
  }
  WorkerInfo hello;
  if (got == Worker::Got::frame && frame.header.type == wire::FrameType::hello) {
    wire::Reader in(frame.payload);
    if (wire::decode(in, hello)) {
      worker_.forget_words();
      // info() was handed out: it stays as it is
      if (info_.kernels.empty()) info_ = std::move(hello);
      return;
    }
    worker_.stop();
    throw std::runtime_error(fmt::format("its runner speaks protocol {}, this program {}: build and install both again",
                                         hello.schema, wire::kSchema));
  }
  const std::string words = worker_.last_words();
  const Worker::End end = worker_.reap();
  if (end.signal != 0 && !end.killed)
    throw Died(fmt::format("the runner died of {} when it started", strsignal(end.signal)));
  if (end.killed) throw Died(fmt::format("the runner did not say hello within {} s", kHelloLimit.count()));
  if (words.empty()) throw Died(fmt::format("the runner ended when it started (exit code {})", end.code));
  constexpr int kLibraryDied = 66;  // kExitDied of runner/channel.h
  if (end.code == kLibraryDied) throw Died(words);
  throw std::runtime_error(fmt::format("the runner did not start: {}", words));
}

std::vector<CallResult> Session::run(std::span<const CallRequest> requests) {
  Batch batch{requests, std::vector<CallResult>(requests.size()), std::vector<Care>(requests.size()), {}, {}};
  for (size_t i = 0; i < requests.size(); ++i) batch.waiting.push_back(i);
  while (!batch.waiting.empty() || !batch.flight.empty()) {
    try {
      check_interruption();
      send_ahead(batch);
      receive(batch);
    } catch (const std::runtime_error& error) {  // no worker can be started any more
      worker_.stop();
      for (auto* list : {&batch.flight, &batch.waiting}) {
        for (const size_t i : *list) batch.results[i] = verdict(CallStatus::lost, error.what());
        list->clear();
      }
    }
  }
  return std::move(batch.results);
}

// A kernel that waits must not make the user wait.
void Session::check_interruption() {
  if (!g_interrupted) return;
  if (!interrupted_since_) interrupted_since_ = steady_clock::now();
  if (steady_clock::now() > *interrupted_since_ + kAfterInterruption) throw std::runtime_error(kInterruptedCall);
}

bool Session::must_be_fresh(const Batch& batch, size_t index) const {
  if (!worker_.used) return false;
  const uint32_t kernel = batch.requests[index].kernel;
  const auto is_bug = [&](uint32_t k) { return k < info_.kernels.size() && info_.kernels[k].is_bug; };
  return batch.care[index] == Care::isolate || worker_.isolated ||
         (kernel != worker_.last_kernel && (is_bug(kernel) || is_bug(worker_.last_kernel)));
}

void Session::send_ahead(Batch& batch) {
  while (!batch.waiting.empty() && batch.flight.size() < kWindow && worker_.unsent() < kWindowBytes) {
    const size_t index = batch.waiting.front();
    const CallRequest& request = batch.requests[index];
    if (request.kernel >= info_.kernels.size()) throw std::runtime_error("no such kernel in this worker");
    if (must_be_fresh(batch, index)) {
      if (!batch.flight.empty()) return;
      worker_.stop();
    }
    const bool alone =
        batch.care[index] == Care::solo || (!batch.flight.empty() && batch.care[batch.flight.back()] == Care::solo);
    if (alone && !batch.flight.empty()) return;
    if (!worker_.running()) start();
    worker_.isolated = batch.care[index] == Care::isolate;
    worker_.mixed = worker_.mixed || (worker_.used && worker_.last_kernel != request.kernel);
    worker_.last_kernel = request.kernel;
    worker_.used = true;
    worker_.send(worker_.next_sequence + static_cast<uint32_t>(batch.flight.size()), request);
    batch.waiting.pop_front();
    batch.flight.push_back(index);
    if (batch.flight.size() == 1) expect_sign(batch);
  }
}

void Session::receive(Batch& batch) {
  if (batch.flight.empty()) return;
  const bool open = worker_.pump(std::min(deadline_, steady_clock::now() + kLook));
  Worker::Frame frame;
  for (auto got = worker_.take(frame); got != Worker::Got::nothing; got = worker_.take(frame)) {
    if (got == Worker::Got::garbage || !settle(batch, frame)) {
      worker_died(batch, verdict(CallStatus::lost, "the worker's answer is damaged: the kernel wrote over its memory"),
                  true);
      return;
    }
    if (!worker_.running() || batch.flight.empty()) return;
  }
  if (!open) {
    closed(batch);
  } else if (steady_clock::now() > deadline_) {
    too_late(batch);
  }
}

// False if the frame cannot be the answer to the oldest request in flight.
bool Session::settle(Batch& batch, const Worker::Frame& frame) {
  if (batch.flight.empty() || frame.header.type != wire::FrameType::result ||
      frame.header.sequence != worker_.next_sequence) {
    return false;
  }
  wire::Reader in(frame.payload);
  CallResult result;
  if (!wire::decode(in, result) || !sizes_match(result, batch.front())) return false;
  ++worker_.next_sequence;
  if (result.status == CallStatus::timed_out) {
    const std::chrono::duration<double> waited = steady_clock::now() - last_sign_;
    result.note = terminating_ ? fmt::format("no answer for {:.1f} s: it waits, or stops the clock", waited.count())
                               : fmt::format("more than {} ms of CPU time", batch.front().cpu_limit_ms);
  }
  const bool ends_worker = result.status == CallStatus::crashed || result.status == CallStatus::timed_out;
  const size_t index = batch.flight.front();
  if (ends_worker && !sure(batch)) {
    batch.care[index] = Care::isolate;
  } else {
    batch.results[index] = std::move(result);
    batch.flight.pop_front();
  }
  if (ends_worker) {
    replace(batch);
  } else if (!batch.flight.empty()) {
    expect_sign(batch);
  }
  return true;
}

// Whether what happened to this worker can only be the doing of the kernel of the oldest request in flight.
bool Session::sure(const Batch& batch) const {
  return batch.care[batch.flight.front()] == Care::isolate || !worker_.mixed;
}

// Everything in flight will be sent again, to another worker.
void Session::replace(Batch& batch) {
  worker_.stop();
  batch.waiting.insert(batch.waiting.begin(), batch.flight.begin(), batch.flight.end());
  batch.flight.clear();
}

// The verdict counts if it is certain who deserves it. `damaged`: the cause may be older than the call that it hit, so
// only a worker of its own proves anything.
void Session::worker_died(Batch& batch, CallResult verdict, bool damaged) {
  const size_t index = batch.flight.front();
  const bool unclear = damaged || worker_.mixed;
  if (batch.care[index] == Care::isolate || (!unclear && batch.flight.size() == 1)) {
    batch.results[index] = std::move(verdict);
    batch.flight.pop_front();
  } else {
    for (const size_t i : batch.flight) batch.care[i] = std::max(batch.care[i], unclear ? Care::isolate : Care::solo);
  }
  replace(batch);
}

// The worker has closed its end without a report.
void Session::closed(Batch& batch) {
  const std::string words = worker_.last_words();
  const Worker::End end = worker_.reap();
  if (kill_generation() != generation_) throw std::runtime_error(kInterruptedCall);
  if (end.killed) {
    worker_died(batch, verdict(CallStatus::lost, "the kernel closed the worker's descriptors"), false);
  } else if (end.signal == SIGKILL) {
    worker_died(batch, verdict(CallStatus::lost, "the worker was killed (SIGKILL): out of memory?"), true);
  } else if (end.signal != 0) {
    CallResult result =
        verdict(CallStatus::crashed, fmt::format("{}, and no report could be made", strsignal(end.signal)));
    result.signal = end.signal;
    worker_died(batch, std::move(result), true);
  } else if (!words.empty()) {
    worker_died(batch, verdict(CallStatus::lost, "the worker gave up: " + words), true);
  } else {
    worker_died(batch, verdict(CallStatus::lost, fmt::format("the kernel ended the process (exit code {})", end.code)),
                false);
  }
}

milliseconds Session::wall_limit(const Batch& batch) const {
  return milliseconds(batch.front().cpu_limit_ms) * options_.wall_limit_factor;
}

// The clock of the oldest request in flight starts.
void Session::expect_sign(const Batch& batch) {
  last_sign_ = steady_clock::now();
  deadline_ = last_sign_ + wall_limit(batch);
  cpu_at_limit_.reset();
}

// A worker that computes will be ended by its own limit, however little of the CPU a busy machine gives it. So it is
// looked at twice: one that waits, or that computes far beyond its limit, must report now, or is killed.
void Session::too_late(Batch& batch) {
  constexpr double kComputing = 0.01;  // of the time between two looks
  constexpr int kBeyond = 4;
  if (terminating_) {
    const std::chrono::duration<double> waited = steady_clock::now() - last_sign_;
    worker_died(batch, verdict(CallStatus::timed_out, fmt::format("no answer for {:.1f} s", waited.count())), false);
    return;
  }
  const auto look = std::max(milliseconds(100), wall_limit(batch) / 4);
  const double cpu = worker_.cpu_seconds();
  const bool computes = cpu - cpu_last_look_ > kComputing * std::chrono::duration<double>(look).count();
  const bool beyond = cpu - cpu_at_limit_.value_or(cpu) > kBeyond * batch.front().cpu_limit_ms * 1e-3;
  terminating_ = cpu_at_limit_ && (!computes || beyond);
  if (terminating_) worker_.terminate();
  deadline_ = steady_clock::now() + (terminating_ ? kGrace : look);
  cpu_last_look_ = cpu;
  if (!cpu_at_limit_) cpu_at_limit_ = cpu;
}

std::unique_ptr<Executor> open_session(const Target& target, const SessionOptions& options) {
  return std::make_unique<Session>(target, options);
}

}  // namespace tritcheck
