// One judge for every format: what is right, and what is the worst thing that happened.
#include "harness/judge/judge.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace tritcheck {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// A dot product of blocks that answered `got` twice where `value` was to come.
Verdict verdict_of(double value, double bound, float got) {
  Problem p;
  p.op = Op::vec_dot;
  p.format = "tq2_0";
  Expectation e;
  e.words = {0};
  e.values = {value};
  e.bounds = {bound};
  CallResult r;
  r.status = CallStatus::returned;
  r.out_a = r.out_b = {std::bit_cast<uint32_t>(got)};
  return judge(p, e, r).verdict;
}

TEST(Judge, ANumberIsRightWithinItsBound) {
  EXPECT_EQ(verdict_of(5, 0, 5), Verdict::pass);
  EXPECT_EQ(verdict_of(5, 0, 5.0000005F), Verdict::mismatch);
  EXPECT_EQ(verdict_of(5, 0.5, 5.5F), Verdict::pass);
  EXPECT_EQ(verdict_of(5, 0.5, NAN), Verdict::mismatch);
}

TEST(Judge, InfinityIsItselfWhereNothingMayRoundElseAnythingThatIsNotFinite) {
  EXPECT_EQ(verdict_of(kInf, 0, INFINITY), Verdict::pass);
  EXPECT_EQ(verdict_of(kInf, 0, -INFINITY), Verdict::mismatch);
  EXPECT_EQ(verdict_of(kInf, 0, NAN), Verdict::mismatch);
  EXPECT_EQ(verdict_of(kInf, kInf, NAN), Verdict::pass);
  EXPECT_EQ(verdict_of(NAN, 0, INFINITY), Verdict::pass);
  EXPECT_EQ(verdict_of(NAN, 0, NAN), Verdict::pass);
  EXPECT_EQ(verdict_of(NAN, 0, 1), Verdict::mismatch);
}

// Integers in rows with gaps between them.
TEST(Judge, WordsBetweenResultsBelongToNobody) {
  Problem p;
  p.op = Op::rows;
  p.n = 2;
  p.out_stride = 2;
  const Expectation e{{0, 2}, {7, -7}, {0, 0}, {}, {}, 0};
  CallResult r;
  r.status = CallStatus::returned;
  r.out_a = {7, kCanaryA, static_cast<uint32_t>(-7)};
  r.out_b = {7, kCanaryB, static_cast<uint32_t>(-7)};
  EXPECT_EQ(judge(p, e, r).verdict, Verdict::pass);
  r.out_b[1] = 0;
  EXPECT_EQ(judge(p, e, r).verdict, Verdict::over_write);
  r.out_b[1] = kCanaryB;
  r.out_a[2] = kCanaryA;
  r.out_b[2] = kCanaryB;
  EXPECT_EQ(judge(p, e, r).verdict, Verdict::unwritten);
  // without the second run a result that was never written is one, too
  r.out_b.clear();
  EXPECT_EQ(judge(p, e, r).verdict, Verdict::unwritten);
}

}  // namespace
}  // namespace tritcheck
