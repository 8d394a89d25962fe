// The museum through the real harness: every broken kernel caught and rightly named, on every target; every instruction
// set proven executed by a broken kernel in it; and no probe family that could be left out.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "harness/verify/matrix.h"
#include "tests/targets.h"

namespace tritcheck {
namespace {

VerifyOptions quick(const std::string& target) {
  VerifyOptions o;
  o.level = Level::quick;
  o.devices = {target};
  return o;
}

class OnTarget : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const std::string why = why_absent(GetParam()); !why.empty()) GTEST_SKIP() << why;
    if (!kShort.contains(GetParam()) && std::getenv("TRITCHECK_LONG_TESTS") == nullptr) {
      GTEST_SKIP() << "set TRITCHECK_LONG_TESTS=1 for this CPU too (ci/soak does)";
    }
  }

  // One CPU for each set of instructions that kernels are written for; the others differ in what no kernel asks for.
  static inline const std::set<std::string> kShort = {"local", "qemu:cortex-a53", "qemu:max", "qemu:x86_64/Conroe",
                                                      "qemu:x86_64/Haswell"};
};

TEST_P(OnTarget, EveryBrokenKernelIsCaughtAndNamed) {
  VerifyOptions o = quick(GetParam());
  o.bugs = {"all"};
  const Report report = verify(o);
  int ran = 0;
  std::set<Isa> proven;
  std::set<Isa> runnable;
  for (const KernelInfo& k : report.targets.at(0).worker.kernels) {
    if (!k.is_bug && k.runnable) runnable.insert(k.isa);
  }
  for (const KernelReport& k : report.kernels) {
    if (k.verdict == Verdict::skipped) {
      EXPECT_FALSE(k.reason.empty());
      continue;
    }
    // whether threads meet inside a kernel is up to the emulator's scheduling; on silicon it must be caught
    if (k.verdict == Verdict::pass && k.kernel.diagnosis == "race" && report.targets.at(0).emulated) continue;
    ++ran;
    ASSERT_NE(k.verdict, Verdict::pass) << k.kernel.name << " was not caught";
    ASSERT_TRUE(k.failure);
    EXPECT_EQ(k.failure->diagnosis, k.kernel.diagnosis) << k.kernel.name << ": " << k.failure->sentence;
    EXPECT_FALSE(k.failure->case_text.empty());
    proven.insert(k.kernel.isa);
  }
  EXPECT_GT(ran, 40);
  EXPECT_EQ(proven, runnable) << "an instruction set that runs here has no broken kernel to prove it is executed";
}

TEST_P(OnTarget, NoFalseAlarm) {
  // the first seed on emulated CPUs: ci/verify, on all of them
  for (uint64_t seed : GetParam() == "local" ? std::vector<uint64_t>{1, 2} : std::vector<uint64_t>{2}) {
    VerifyOptions o = quick(GetParam());
    o.seed = seed;
    const Report report = verify(o);
    int passed = 0;
    for (const KernelReport& k : report.kernels) {
      if (k.verdict == Verdict::skipped) continue;
      EXPECT_EQ(k.verdict, Verdict::pass)
          << k.kernel.name << " seed " << seed << ": " << (k.failure ? k.failure->sentence : "");
      EXPECT_TRUE(k.skipped_cases.empty());
      ++passed;
    }
    EXPECT_GT(passed, 10);
    EXPECT_EQ(exit_code(report), kExitPass);
  }
}

TEST_P(OnTarget, WhatTheCpuLacksIsSkippedAndFaultsIfForced) {
  VerifyOptions o = quick(GetParam());
  o.families = {"F7"};  // any: only what is skipped counts
  const Report plain = verify(o);
  for (const KernelReport& k : plain.kernels) {
    if (k.verdict != Verdict::skipped || !k.reason.starts_with("cpu lacks")) continue;
    VerifyOptions forced = quick(GetParam());
    forced.kernels = {k.kernel.name};
    forced.force = true;
    const Report report = verify(forced);
    EXPECT_EQ(report.kernels.at(0).verdict, Verdict::crash) << k.kernel.name;
    EXPECT_EQ(report.kernels.at(0).failure.value().diagnosis, "illegal-instruction");
    EXPECT_EQ(exit_code(report), kExitCrash);
    return;
  }
  GTEST_SKIP() << "this CPU lacks nothing that was compiled";
}

INSTANTIATE_TEST_SUITE_P(Targets, OnTarget, testing::ValuesIn(all_targets()),
                         [](const auto& target) { return test_name(target.param); });

TEST(KillMatrix, EveryFamilyIsNeededAndNothingSurvives) {
  const Matrix m = kill_matrix(quick("local"));
  EXPECT_GT(m.rows.size(), 50u);
  EXPECT_EQ(m.missed(), std::vector<std::string>{}) << matrix_text(m);
  EXPECT_EQ(m.idle_families(), std::vector<std::string>{}) << "nothing survives the removal of these families";
}

}  // namespace
}  // namespace tritcheck
