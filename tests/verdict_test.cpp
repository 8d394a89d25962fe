// The numbers behind the verdict, each against a value worked out by hand, and the bands.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/verdict/health.h"
#include "engine/verdict/metrics.h"

namespace tritcheck::engine {
namespace {

using Ids = std::vector<int32_t>;

TEST(LogitMetrics, ByHand) {
  // p = (3/4, 1/4) and (1/2, 1/2)
  const std::vector<double> golden = {std::log(3.0), 0};
  const std::vector<double> even = {5, 5};
  LogitMetrics m;
  m.add(golden, even);
  EXPECT_NEAR(m.kld(), 0.75 * std::log(1.5) + 0.25 * std::log(0.5), 1e-15);
  EXPECT_NEAR(m.entropy_golden(), -0.75 * std::log(0.75) - 0.25 * std::log(0.25), 1e-15);
  EXPECT_NEAR(m.entropy_shift(), std::log(2.0) - m.entropy_golden(), 1e-15);
  const double l3 = std::log(3.0);
  EXPECT_NEAR(m.nmse(), ((l3 - 5) * (l3 - 5) + 25) / (l3 * l3), 1e-12);
  EXPECT_EQ(m.top1(), 1);  // of equals the first
  m.add(golden, std::vector<double>{0, 1});
  EXPECT_EQ(m.top1(), 0.5);
  EXPECT_EQ(m.agreement(), 0.5);
  EXPECT_EQ(m.sure(), 2);
  EXPECT_EQ(m.flips(), 0);
}

TEST(LogitMetrics, AFlipAtANearTieIsNoEvidence) {
  LogitMetrics m;
  m.add(std::vector<double>{1.0, 0.95}, std::vector<double>{0.9, 1.0});
  EXPECT_EQ(m.sure(), 0);
  EXPECT_EQ(m.flips(), 1);
  EXPECT_EQ(m.agreement(), 1);
  EXPECT_EQ(m.top1(), 0);
}

TEST(LogitMetrics, NotANumberIsCountedAndAMiss) {
  LogitMetrics m;
  m.add(std::vector<double>{3, 0}, std::vector<double>{NAN, 0});
  m.add(std::vector<double>{3, 0}, std::vector<double>{INFINITY, 0});
  m.add(std::vector<double>{3, 0}, std::vector<double>{3, 0});
  EXPECT_EQ(m.not_finite(), 2);
  EXPECT_NEAR(m.agreement(), 1.0 / 3, 1e-15);
  EXPECT_EQ(m.kld(), 0);
}

TEST(TextMetrics, ByHand) {
  EXPECT_NEAR(nll(std::vector<double>{0, 0, 0, 0}, 2), std::log(4.0), 1e-15);
  EXPECT_EQ(rep_n(Ids{1, 2, 3}, 4), 0);
  EXPECT_EQ(rep_n(Ids{1, 1, 1, 1, 1, 1}, 4), 1 - 1.0 / 3);
  EXPECT_EQ(rep_n(Ids{1, 2, 3, 4, 5, 6}, 4), 0);
  EXPECT_EQ(tail_period(Ids{}), 0);
  EXPECT_EQ(tail_period(Ids{1, 2, 3, 4}), 0);
  EXPECT_NEAR(tail_period(Ids{1, 2, 3, 9, 9, 9, 9}), 4.0 / 7, 1e-15);
  EXPECT_NEAR(tail_period(Ids{7, 1, 2, 1, 2, 1, 2}), 6.0 / 7, 1e-15);
  EXPECT_EQ(tail_period(Ids{1, 2, 1, 2}), 0);  // two copies prove nothing
  // a cycle that is over is no tail
  EXPECT_EQ(tail_period(Ids{5, 5, 5, 5, 5, 1}), 0);
  EXPECT_EQ(compression("short"), 0);
  EXPECT_GT(compression(std::string(1000, 'x')), 20);
}

HealthNumbers good() {
  HealthNumbers n;
  n.has_reference = true;
  n.nll_reference = 0.5;
  n.log_vocab = 7;
  n.nll_candidate = n.nll_golden_text = 0.2;
  return n;
}

Health health(const std::function<void(HealthNumbers&)>& change) {
  HealthNumbers n = good();
  change(n);
  return judge_health(n).health;
}

TEST(Health, Bands) {
  EXPECT_EQ(health([](auto&) {}), Health::healthy);
  EXPECT_EQ(health([](auto& n) { n.kld = 2e-3; }), Health::suspect);
  EXPECT_EQ(health([](auto& n) { n.top1 = 0.98; }), Health::suspect);
  EXPECT_EQ(health([](auto& n) { n.nmse = 5e-3; }), Health::suspect);
  EXPECT_EQ(health([](auto& n) { n.nmse = NAN; }), Health::suspect);
  EXPECT_EQ(health([](auto& n) { n.kld = NAN; }), Health::silent);
  EXPECT_EQ(health([](auto& n) { n.kld = 0.02; }), Health::silent);
  EXPECT_EQ(health([](auto& n) { n.top1 = 0.9; }), Health::silent);
  EXPECT_EQ(health([](auto& n) { n.nll_candidate = 1.3; }), Health::salad);
  EXPECT_EQ(health([](auto& n) { n.rep4 = 0.6; }), Health::collapse);
  EXPECT_EQ(health([](auto& n) { n.constant_prompts = 2; }), Health::collapse);
  EXPECT_EQ(health([](auto& n) { n.not_finite = 1; }), Health::collapse);
  EXPECT_EQ(health([](auto& n) { n.tail = 0.4, n.nll_candidate = 0.6; }), Health::collapse);
  EXPECT_EQ(health([](auto& n) { n.nll_reference = 6.5; }), Health::broken_model);
  EXPECT_EQ(health([](auto& n) { n.compared = false; }), Health::unknown);
  EXPECT_EQ(health([](auto& n) { n.compared = false, n.nll_reference = 6.5; }), Health::broken_model);
}

// Text that repeats because golden repeats, and one prompt that loops, are no verdict.
TEST(Health, LegitimateRepetitionIsHealthy) {
  EXPECT_EQ(health([](auto& n) { n.rep4 = n.rep4_golden = 0.9, n.tail = n.tail_golden = 0.9; }), Health::healthy);
  EXPECT_EQ(health([](auto& n) { n.rep4 = 0.55, n.rep4_golden = 0.44; }), Health::healthy);
  EXPECT_EQ(health([](auto& n) { n.constant_prompts = 1; }), Health::healthy);
  EXPECT_EQ(health([](auto& n) { n.tail = 0.4; }), Health::healthy);
}

}  // namespace
}  // namespace tritcheck::engine
