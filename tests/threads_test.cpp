// The engine's threads: every index once, whatever the numbers; errors reach the caller; rounds follow each other.
#include "engine/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace tritcheck::engine {
namespace {

TEST(Threads, EveryIndexOnceInPiecesOfWholeSteps) {
  for (int count : {1, 2, 3, 8}) {
    Threads threads(count);
    ASSERT_EQ(threads.count(), count);
    for (int64_t step : {1, 3, 64}) {
      for (int64_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 127, 128, 129, 640, 1000, 4097}) {
        std::vector<std::atomic<int>> seen(static_cast<size_t>(n));
        threads.each(n, step, [&](int64_t begin, int64_t end) {
          EXPECT_LT(begin, end);
          EXPECT_EQ(begin % step, 0);
          EXPECT_TRUE(end % step == 0 || end == n);
          for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
        });
        for (int64_t i = 0; i < n; ++i)
          ASSERT_EQ(seen[static_cast<size_t>(i)], 1)
              << i << " of " << n << ", step " << step << ", " << count << " threads";
      }
    }
  }
}

TEST(Threads, AnErrorReachesTheCallerAndTheNextRoundIsWhole) {
  Threads threads(3);
  for (int round = 0; round < 100; ++round) {
    EXPECT_THROW(threads.each(100, 1,
                              [&](int64_t begin, int64_t end) {
                                if (begin <= round && round < end) throw std::runtime_error("this one");
                              }),
                 std::runtime_error);
    std::atomic<int64_t> sum{0};
    threads.each(100, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) sum += i;
    });
    EXPECT_EQ(sum, 4950);
  }
}

TEST(Threads, ManyShortRounds) {
  Threads threads(4);
  int64_t sum = 0;
  for (int round = 0; round < 500; ++round) {
    std::atomic<int64_t> part{0};
    threads.each(4, 1, [&](int64_t begin, int64_t end) { part += end - begin; });
    sum += part;
  }
  EXPECT_EQ(sum, 2000);
}

}  // namespace
}  // namespace tritcheck::engine
