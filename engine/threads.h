// A fixed set of threads for loops whose iterations are independent.
//
//   Threads threads(2);
//   threads.each(rows, 16, [&](int64_t begin, int64_t end) { ... });
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tritcheck::engine {

/// One for each core of this machine, at least 1.
int one_per_core();

class Threads {
 public:
  /// `count` threads work together, the caller being one of them; at least 1.
  explicit Threads(int count);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  int count() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls fn(begin, end) for pieces that cover 0..n-1 once, each a multiple of `step` long but the last, and returns
  /// when all are done. Which thread gets which piece is not determined: a result must not depend on it. The first
  /// exception is thrown again here.
  void each(int64_t n, int64_t step, const std::function<void(int64_t, int64_t)>& fn);

 private:
  void work();
  void run_pieces();

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable start_;
  std::condition_variable done_;
  std::atomic<uint64_t> round_{0};  ///< counts calls of each(); a worker joins each round once
  std::atomic<int> busy_{0};        ///< workers that have not finished this round
  bool stop_ = false;

  const std::function<void(int64_t, int64_t)>* fn_ = nullptr;
  int64_t n_ = 0;
  int64_t long_ = 0;              ///< length of the first count() pieces
  int64_t short_ = 0;             ///< and of all others but the last
  std::atomic<int64_t> next_{0};  ///< piece
  std::exception_ptr error_;
};

}  // namespace tritcheck::engine
