// A session is a worker that is replaced whenever it dies. See target.h for open_session().
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "harness/targets/target.h"
#include "harness/targets/worker.h"

namespace tritcheck {

/// Sends requests ahead, a window of them, and settles them in order. What a call did to its worker is charged to that
/// call only if no other can have done it:
///  - a museum kernel never shares a worker with another kernel;
///  - a crash in a worker that has run several kernels, an end without a report, or a damaged answer makes the suspects
///    run again, each in a fresh worker, and that result counts.
class Session : public Executor {
 public:
  Session(const Target& target, const SessionOptions& options);
  const WorkerInfo& info() const override { return info_; }
  std::vector<CallResult> run(std::span<const CallRequest> requests) override;

 private:
  struct Batch;
  void start();
  void check_interruption();
  bool must_be_fresh(const Batch& batch, size_t index) const;
  void send_ahead(Batch& batch);
  void receive(Batch& batch);
  bool settle(Batch& batch, const Worker::Frame& frame);
  void worker_died(Batch& batch, CallResult verdict, bool damaged);
  void closed(Batch& batch);
  std::chrono::milliseconds wall_limit(const Batch& batch) const;
  void expect_sign(const Batch& batch);
  void too_late(Batch& batch);
  bool sure(const Batch& batch) const;
  void replace(Batch& batch);

  std::vector<std::string> command_;
  SessionOptions options_;
  uint64_t generation_;
  WorkerInfo info_;
  Worker worker_;
  // The wall limit of the call under way, and what is known when it has passed.
  std::chrono::steady_clock::time_point last_sign_;
  std::chrono::steady_clock::time_point deadline_;
  std::optional<double> cpu_at_limit_;
  double cpu_last_look_ = 0;
  bool terminating_ = false;  // the runner was asked for a report
  std::optional<std::chrono::steady_clock::time_point> interrupted_since_;
};

}  // namespace tritcheck
