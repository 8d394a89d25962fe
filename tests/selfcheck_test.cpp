// What selfcheck counts as wrong, and how it says so. (ci/test runs `tritcheck selfcheck` itself.)
#include "harness/verify/selfcheck.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tritcheck {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SelfcheckRow row(const char* bug, const char* expected, const char* found) {
  SelfcheckRow r;
  r.bug = bug;
  r.expected = expected;
  r.found = found;
  if (*found != '\0') {
    r.first_case = 3;
    r.killed = {"F4"};
  }
  return r;
}

Selfcheck of(std::vector<SelfcheckRow> rows) {
  Selfcheck s;
  s.families = {"F4", "F1"};
  s.rows = std::move(rows);
  return s;
}

TEST(Selfcheck, AllCaughtAndNamed) {
  const Selfcheck s = of({row("bug_tail", "tail-dropped", "tail-dropped"), row("right", "", "")});
  EXPECT_EQ(s.wrong(), 0);
  EXPECT_EQ(s.ran(), 2);
  const std::string text = selfcheck_text(s, false);
  EXPECT_THAT(text, HasSubstr("1 broken kernels, 1 right ones: 0 wrong (all caught and named, no false alarm)"));
  EXPECT_THAT(text, Not(HasSubstr("MISSED")));
}

TEST(Selfcheck, AMissedAMisnamedAndAFalseAlarmAreWrong) {
  EXPECT_EQ(of({row("b", "tail-dropped", "")}).wrong(), 1);
  EXPECT_EQ(of({row("b", "tail-dropped", "unit-dropped")}).wrong(), 1);
  EXPECT_EQ(of({row("b", "", "unit-dropped")}).wrong(), 1);
  const std::string text = selfcheck_text(
      of({row("b1", "tail-dropped", ""), row("b2", "hang", "crash"), row("b3", "", "over-read")}), false);
  EXPECT_THAT(text, HasSubstr("MISSED, should be tail-dropped"));
  EXPECT_THAT(text, HasSubstr("crash, should be hang"));
  EXPECT_THAT(text, HasSubstr("FALSE ALARM: over-read"));
  EXPECT_THAT(text, HasSubstr("3 wrong"));
}

TEST(Selfcheck, WhatCannotRunHereIsCountedAndNotWrong) {
  SelfcheckRow r = row("b", "hang", "");
  r.skipped = "cpu lacks avx2";
  const Selfcheck s = of({r});
  EXPECT_EQ(s.wrong(), 0);
  EXPECT_EQ(s.ran(), 0);
  EXPECT_THAT(selfcheck_text(s, false), HasSubstr("1 not run here"));
}

}  // namespace
}  // namespace tritcheck
