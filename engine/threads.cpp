#include "engine/threads.h"

#include <algorithm>

namespace tritcheck::engine {
namespace {

// Layers follow each other within microseconds: a worker looks for the next round this often before it sleeps.
constexpr int kSpins = 2000;
// Pieces per thread: enough to even out threads that lose their core for a while.
constexpr int64_t kPieces = 4;

}  // namespace

int one_per_core() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Threads::Threads(int count) {
  for (int i = 1; i < count; ++i) workers_.emplace_back([this] { work(); });
}

Threads::~Threads() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    ++round_;
  }
  start_.notify_all();
  for (std::thread& t : workers_) t.join();
}

void Threads::each(int64_t n, int64_t step, const std::function<void(int64_t, int64_t)>& fn) {
  if (n <= 0) return;
  if (workers_.empty() || n <= step) {
    fn(0, n);
    return;
  }
  const int64_t steps = (n + step - 1) / step;
  {
    const std::lock_guard lock(mutex_);
    fn_ = &fn;
    n_ = n;
    piece_ = std::max<int64_t>(1, steps / (count() * kPieces)) * step;
    next_ = 0;
    error_ = nullptr;
    busy_ = static_cast<int>(workers_.size());
    ++round_;
  }
  start_.notify_all();
  run_pieces();
  for (int spin = 0; spin < kSpins && busy_ != 0; ++spin) std::this_thread::yield();
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  if (error_) std::rethrow_exception(error_);
}

void Threads::run_pieces() {
  try {
    for (int64_t begin = next_.fetch_add(piece_); begin < n_; begin = next_.fetch_add(piece_))
      (*fn_)(begin, std::min(n_, begin + piece_));
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
    next_ = n_;
  }
}

void Threads::work() {
  uint64_t seen = 0;
  for (;;) {
    for (int spin = 0; spin < kSpins && round_ == seen; ++spin) std::this_thread::yield();
    {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return round_ != seen; });
      seen = round_;
      if (stop_) return;
    }
    run_pieces();
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace tritcheck::engine
