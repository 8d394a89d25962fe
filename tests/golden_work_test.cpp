// How much of golden's work is left: what people are told, and that an interruption ends golden within a layer.
#include "harness/paris/golden_work.h"

#include <gtest/gtest.h>

#include "engine/golden/golden.h"
#include "harness/base/console.h"
#include "tests/engine_models.h"

namespace tritcheck {
namespace {

TEST(TimeLeft, IsToldOnlyWhereItSaysSomething) {
  EXPECT_EQ(time_left(1, 0.001), "");  // too early to tell
  EXPECT_EQ(time_left(10, 0), "");
  EXPECT_EQ(time_left(60, 0.9), "");  // 7 seconds
  EXPECT_EQ(time_left(60, 0.5), ", about 60 s left");
  EXPECT_EQ(time_left(60, 0.2), ", about 4 min left");
  EXPECT_EQ(time_left(60, 1), "");
}

class GoldensWork : public ::testing::Test {
 protected:
  GoldensWork() : shipped_("paris-b-i2_s.x86_128") {
    progress_.work = [this](double done, double total) {
      EXPECT_GT(done, done_);
      EXPECT_LE(done, total);
      done_ = done;
      total_ = total;
      ++calls_;
    };
  }
  ~GoldensWork() override { g_interrupted = false; }

  void forward(engine::Engine& golden, size_t tokens) {
    const std::vector<int32_t> ids(tokens, 5);
    golden.forward(ids, [](int64_t, std::span<const double>) {});
  }

  engine::ShippedModel shipped_;
  Progress progress_;
  double done_ = 0;
  double total_ = 0;
  int calls_ = 0;
};

TEST_F(GoldensWork, ComesToWhatWasAnnounced) {
  GoldenWork work(progress_);
  work.expect(2, 7);
  const size_t layers = shipped_.model.layers.size();
  engine::Golden golden(shipped_.model, {.layer_done = work.layer_done(layers)});
  forward(golden, 3);
  EXPECT_LT(done_, total_);
  forward(golden, 4);
  EXPECT_DOUBLE_EQ(done_, total_);
  EXPECT_EQ(calls_, static_cast<int>(2 * layers));
  forward(golden, 1);  // more than was announced: all of it is done
  EXPECT_DOUBLE_EQ(done_, total_);
  work.left(done_);
  forward(golden, 1);
  EXPECT_LT(done_, total_);
}

TEST_F(GoldensWork, AnInterruptionEndsItWithinALayer) {
  GoldenWork work(progress_);
  engine::Golden golden(shipped_.model, {.layer_done = work.layer_done(shipped_.model.layers.size())});
  g_interrupted = true;
  EXPECT_THROW(forward(golden, 3), GoldenInterrupted);
  EXPECT_EQ(calls_, 1);
  g_interrupted = false;
  golden.rewind(0);
  forward(golden, 3);
  EXPECT_EQ(golden.position(), 3);
}

}  // namespace
}  // namespace tritcheck
