// One worker process: started by posix_spawn, in a process group of its own, spoken to over a socket.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/protocol/executor.h"
#include "harness/protocol/wire.h"

namespace tritcheck {

class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { stop(); }

  /// Starts `command` (searched in PATH). Throws std::runtime_error with a phrase if that is impossible.
  void start(const std::vector<std::string>& command);
  bool running() const { return pid_ > 0; }

  /// Queues a frame whose payload is the encoded request.
  void send(uint32_t sequence, const CallRequest& request);
  /// Queues a frame.
  void send(wire::FrameType type, uint32_t sequence, std::span<const uint8_t> payload);
  size_t unsent() const { return out_.size() - out_at_; }

  /// Sends and receives what is possible, waiting at most until `deadline`. False once the other end is closed.
  bool pump(std::chrono::steady_clock::time_point deadline);

  enum class Got : uint8_t { nothing, frame, garbage };
  struct Frame {
    wire::Header header;
    std::span<const uint8_t> payload;  ///< valid until the next pump
  };
  /// The next complete frame that has arrived.
  Got take(Frame& frame);

  /// Asks the runner to report the call under way and to end.
  void terminate() const;

  /// CPU time the process has used so far.
  double cpu_seconds() const;

  struct End {
    int signal = 0;       ///< died of it, unless zero
    int code = 0;         ///< else its exit code
    bool killed = false;  ///< by us, because it lived on after it had closed its end
  };
  /// Waits briefly for a worker that closed its end, then kills it; reaps it.
  End reap();
  /// Kills and reaps.
  void stop();

  /// The line that matters of what the worker wrote to standard error, empty if none.
  std::string last_words() const;
  /// An emulator's warnings at the start do not count.
  void forget_words();

  // What has happened in this process, kept for the session: see session.cpp.
  uint32_t next_sequence = 1;
  bool used = false;      ///< a kernel was called in it
  bool mixed = false;     ///< more than one kernel was
  bool isolated = false;  ///< meant for one call only
  uint32_t last_kernel = 0;

 private:
  End wait_and_forget(bool kill_first);

  pid_t pid_ = 0;
  size_t slot_ = 0;
  int socket_ = -1;
  off_t words_from_ = 0;
  int errors_ = -1;  // standard error goes to memory, where it can never block the worker
  std::vector<uint8_t> out_;
  size_t out_at_ = 0;
  std::vector<uint8_t> in_;
  size_t in_at_ = 0;
  size_t in_end_ = 0;
};

/// Raised by every kill_all_workers(): sessions opened before it start no further worker.
uint64_t kill_generation();

/// CPU time, user and system, of all workers that have ended.
double workers_cpu_seconds();

}  // namespace tritcheck
