#include "engine/threads.h"

#include <algorithm>

namespace tritcheck::engine {
namespace {

// Layers follow each other within microseconds: a thread that waits first looks this often, then gives way to others
// this often, then sleeps.
constexpr int kLooks = 4000;
constexpr int kYields = 1000;
// Each thread first takes one long piece, because memory is read fastest in long runs; together they leave 1/kRest of
// the work, in kPieces short ones per thread, to even out threads that lose their core for a while.
constexpr int64_t kRest = 8;
constexpr int64_t kPieces = 2;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

template <class Ready>
void wait_briefly(Ready ready) {
  for (int i = 0; i < kLooks && !ready(); ++i) relax();
  for (int i = 0; i < kYields && !ready(); ++i) std::this_thread::yield();
}

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
    long_ = (steps - steps / kRest) / count() * step;
    short_ = std::max<int64_t>(1, (steps / kRest + count()) / (count() * kPieces)) * step;
    next_ = 0;
    error_ = nullptr;
    busy_ = static_cast<int>(workers_.size());
    ++round_;
  }
  start_.notify_all();
  run_pieces();
  wait_briefly([this] { return busy_ == 0; });
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  if (error_) std::rethrow_exception(error_);
}

void Threads::run_pieces() {
  try {
    for (;;) {
      const int64_t piece = next_.fetch_add(1);
      const int64_t begin = std::min(piece, int64_t{count()}) * long_ + std::max<int64_t>(0, piece - count()) * short_;
      if (begin >= n_) break;
      const int64_t end = std::min(n_, begin + (piece < count() ? long_ : short_));
      if (begin < end) (*fn_)(begin, end);
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
    next_ = n_ + count();  // beyond every piece
  }
}

void Threads::work() {
  uint64_t seen = 0;
  for (;;) {
    wait_briefly([&] { return round_ != seen; });
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
