// verify() and replay() as a caller sees them: what is run, skipped and refused, real weights, repro lines, exit codes.
#include "harness/verify/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "harness/probes/probes.h"
#include "harness/verify/kernel_run.h"
#include "tests/targets.h"

namespace tritcheck {
namespace {

const std::string kModels = TRITCHECK_SOURCE_DIR "/corpora/models/";

VerifyOptions quick() {
  VerifyOptions o;
  o.level = Level::quick;
  return o;
}

std::pair<int, std::string> error_of(const VerifyOptions& o) {
  try {
    verify(o);
  } catch (const UserError& e) {
    return {e.code(), e.what()};
  }
  return {-1, ""};
}

TEST(Verify, FiltersAreSubstringsAndGlobs) {
  VerifyOptions o = quick();
  o.filters = {"x86_128_dot_scalar", "i2_s_linear_*_scalar"};
  const Report r = verify(o);
  EXPECT_EQ(r.kernels.size(), 5u);
  EXPECT_EQ(exit_code(r), kExitPass);
}

TEST(Verify, WhatMatchesNothingIsAnError) {
  VerifyOptions o = quick();
  o.filters = {"i2_s_x86_128_dot_scalr"};
  auto [code, text] = error_of(o);
  EXPECT_EQ(code, kExitUsage);
  EXPECT_NE(text.find("no kernel matches 'i2_s_x86_128_dot_scalr'; did you mean i2_s_x86_128_dot_scalar"),
            std::string::npos)
      << text;
  o = quick();
  o.bugs = {"bug_of_nobody"};
  EXPECT_EQ(error_of(o).first, kExitUsage);
  o = quick();
  o.families = {"F99"};
  EXPECT_NE(error_of(o).second.find("unknown probe family 'F99'"), std::string::npos);
  o = quick();
  o.devices = {"qemu:pentium4"};
  EXPECT_NE(error_of(o).first, -1);
}

TEST(Verify, NothingRanIsAFailureOfItsOwn) {
  VerifyOptions o = quick();
  o.filters = {"avx2"};
  o.isa = {"scalar"};
  const Report r = verify(o);
  ASSERT_FALSE(r.kernels.empty());
  for (const KernelReport& k : r.kernels) EXPECT_EQ(k.verdict, Verdict::skipped);
  EXPECT_EQ(exit_code(r), kExitNothingRan);
}

TEST(Verify, FailFastStopsAndSaysSo) {
  VerifyOptions o = quick();
  o.bugs = {"bug_layout_*"};
  o.fail_fast = true;
  o.jobs = 1;
  const Report r = verify(o);
  EXPECT_NE(r.kernels.at(0).verdict, Verdict::skipped);
  EXPECT_EQ(r.kernels.back().verdict, Verdict::skipped);
  EXPECT_EQ(r.kernels.back().reason, "stopped by --fail-fast");
}

TEST(Verify, TheSeedChangesTheDataAndNotTheVerdict) {
  VerifyOptions o = quick();
  o.bugs = {"bug_unit_first_dropped"};
  o.seed = 1;
  const Failure one = verify(o).kernels.at(0).failure.value();
  o.seed = 99;
  const Failure other = verify(o).kernels.at(0).failure.value();
  EXPECT_EQ(one.diagnosis, other.diagnosis);
  EXPECT_NE(one.expected, other.expected);
  o.seed = 1;
  o.jobs = 2;
  EXPECT_EQ(verify(o).kernels.at(0).failure.value().expected, one.expected);
}

TEST(Verify, AHangCostsItsTimeLimitAndTheRunGoesOn) {
  VerifyOptions o = quick();
  o.bugs = {"bug_hang_odd_block", "bug_null_call", "bug_crash_exit", "bug_empty_body"};
  o.timeout_ms = 300;
  const Report r = verify(o);
  EXPECT_EQ(r.kernels.size(), 4u);
  for (const KernelReport& k : r.kernels) EXPECT_EQ(k.failure.value().diagnosis, k.kernel.diagnosis);
  EXPECT_EQ(exit_code(r), kExitCrash);
}

TEST(Verify, AnInterruptionKeepsWhatWasDone) {
  VerifyOptions o = quick();
  o.level = Level::thorough;
  o.jobs = 1;
  Progress progress;
  progress.kernel_done = [](const KernelReport&) { g_interrupted = true; };
  const Report r = verify(o, progress);
  g_interrupted = false;
  EXPECT_TRUE(r.interrupted);
  EXPECT_EQ(r.kernels.at(0).verdict, Verdict::pass);
  EXPECT_EQ(r.kernels.at(1).verdict, Verdict::skipped);
  EXPECT_EQ(r.kernels.at(1).reason, "interrupted");
  EXPECT_EQ(exit_code(r), kExitInterrupted);
}

// A case says what goes in; the answers also depend on what the kernel makes of it.
TEST(Verify, PreparedAnswersAreThoseOfTheCaseAndTheKindOfResult) {
  Preparations known;
  for (int round = 0; round < 2; ++round) {
    for (const char* text : {"i2_s.dot:layout=x86_128:k=1048576:n=1:probe=extreme:seed=1:code=3:q=127:mix=1",
                             "i2_s.dot:layout=x86_128:k=256:n=1:probe=random:seed=1",
                             "i2_s.dot:layout=x86_128:k=256:n=1:probe=random:seed=2"}) {
      const Case c = parse_case(text);
      Contract contract = i2_s_contract(c.op, c.layout);
      for (const Result result : {Result::raw, Result::centred}) {
        for (const bool float_out : {false, true}) {
          contract.result = result;
          contract.float_out = float_out;
          Problem p = make_problem(c);
          bind(contract, p);
          const auto prepared = known.get(c, contract);
          EXPECT_EQ(prepared->expected.values, expected(p).values) << text << " " << name(result) << " " << float_out;
          EXPECT_TRUE(prepared->problem.x == p.x && prepared->problem.y == p.y) << text;
          EXPECT_EQ(prepared->problem.result, result);
        }
      }
    }
  }
}

TEST(Verify, ACaseIsPreparedOnce) {
  Preparations known;
  const Case c = parse_case("i2_s.dot:layout=x86_128:k=256:n=1:probe=random:seed=1");
  const Contract contract = i2_s_contract(c.op, c.layout);
  EXPECT_EQ(known.get(c, contract), known.get(c, contract));
}

// What a contract does not allow is a skip with a reason, also for a case that others have been given.
TEST(Verify, AContractThatAsksForAlignmentIsNotGivenOffsets) {
  Preparations known;
  const Case c = parse_case("i2_s.dot:layout=x86_128:k=256:n=1:probe=memory:seed=1:qoff=4");
  Contract contract = i2_s_contract(c.op, c.layout);
  EXPECT_NO_THROW(known.get(c, contract));
  contract.align_q = 16;
  EXPECT_THROW(known.get(c, contract), std::invalid_argument);
}

// A family is one for all kernels that have its traits, and its name may be written in any case.
TEST(Verify, AFamilyOfBlocksRunsOnOurOwnKernelsOfBlocks) {
  VerifyOptions o = quick();
  o.filters = {"tq2_0_q8_K_dot_scalar", "i2_s_x86_128_dot_scalar"};
  o.families = {"f9"};
  const Report r = verify(o);
  ASSERT_EQ(r.kernels.size(), 2U);
  for (const KernelReport& k : r.kernels) {
    const bool blocks = k.kernel.format == "tq2_0";
    EXPECT_EQ(k.verdict, blocks ? Verdict::pass : Verdict::skipped) << k.kernel.name;
    EXPECT_EQ(k.reason, blocks ? "" : "no case applies");
    ASSERT_EQ(k.families.size(), blocks ? 1U : 0U);
  }
}

TEST(Replay, TheSmallestCaseFailsAgainAndARightKernelPassesIt) {
  VerifyOptions o = quick();
  o.bugs = {"bug_index_wrap_4096"};
  const KernelReport k = verify(o).kernels.at(0);
  VerifyOptions again;
  again.kernels = {k.kernel.name};
  const Report replayed = replay(k.failure.value().case_text, again);
  EXPECT_EQ(replayed.kernels.at(0).verdict, k.verdict);
  EXPECT_EQ(replayed.kernels.at(0).failure.value().got, k.failure->got);
  EXPECT_EQ(replayed.kernels.at(0).failure.value().diagnosis, "index-wrap");
  const Report right = replay(k.failure->case_text, {});
  EXPECT_GT(right.kernels.size(), 1u);
  EXPECT_EQ(exit_code(right), kExitPass);
}

TEST(Replay, WhatCannotBeReplayedIsRefused) {
  const auto code_of = [](const std::string& text) {
    try {
      replay(text, {});
    } catch (const UserError& e) {
      return static_cast<int>(e.code());
    }
    return -1;
  };
  EXPECT_EQ(code_of("nonsense"), kExitUsage);
  EXPECT_EQ(code_of("i2_s.dot:layout=x86_128:k=192:n=1:probe=random:seed=1"), kExitUsage);
  EXPECT_EQ(code_of("i2_s.dot:layout=x86_128:k=128:n=1:probe=real:seed=1:model=0123456789abcdef:tensor=x:row=0"),
            kExitUsage);
}

TEST(Replay, ACaseIsOnlyPutToKernelsItIsMeantFor) {
  const std::string text = "i2_s.dot:layout=x86_128:k=128:n=1:probe=shape:seed=1";
  VerifyOptions o;
  for (const char* other : {"i2_s_x86_128_gemv_scalar", "i2_s_arm_64_dot_scalar"}) {
    o.kernels = {other};
    EXPECT_THROW(replay(text, o), UserError) << other;
  }
  o.force = true;
  EXPECT_EQ(replay(text, o).kernels.at(0).failure.value().diagnosis, "layout-block-size");
  // beyond its K a kernel has promised nothing
  const Report beyond = replay("i2_s.dot:layout=x86_128:k=2097152:n=1:probe=extreme:seed=1:code=3:q=-128", {});
  EXPECT_EQ(exit_code(beyond), kExitNothingRan);
}

TEST(Replay, ACaseOfBlocksIsPutToTheKernelsOfItsFormat) {
  const std::string text = "tq2_0.vec_dot:k=512:n=1:probe=random:seed=9";
  const Report all = replay(text, {});
  EXPECT_EQ(exit_code(all), kExitPass);
  EXPECT_EQ(all.seed, 9u);
  EXPECT_EQ(all.kernels.size(), 5u);
  for (const KernelReport& k : all.kernels) {
    EXPECT_EQ(k.kernel.format, "tq2_0") << k.kernel.name;
    EXPECT_EQ(k.cases, k.verdict == Verdict::skipped ? 0 : 1) << k.kernel.name;
  }
  // two rows at once are more than these kernels promise
  EXPECT_EQ(exit_code(replay("tq2_0.vec_dot:k=512:n=2:probe=random:seed=1", {})), kExitNothingRan);
  const auto refused = [](const std::string& case_text, const char* kernel) -> std::string {
    VerifyOptions o;
    o.kernels = {kernel};
    try {
      replay(case_text, o);
    } catch (const UserError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(refused(text, "tq1_0_q8_K_dot_scalar"),
            "tq1_0_q8_K_dot_scalar computes tq1_0.vec_dot, the case is for tq2_0.vec_dot");
  EXPECT_EQ(refused(text, "i2_s_x86_128_dot_scalar"),
            "i2_s_x86_128_dot_scalar computes i2_s.dot, the case is for tq2_0.vec_dot");
  EXPECT_EQ(refused("i2_s.dot:layout=x86_128:k=128:n=1:probe=shape:seed=1", "tq2_0_q8_K_dot_scalar"),
            "tq2_0_q8_K_dot_scalar computes tq2_0.vec_dot, the case is for i2_s.dot");
  EXPECT_THROW(replay("q4_K.vec_dot:k=512:n=1:probe=random:seed=1", {}), UserError);
  EXPECT_THROW(replay("tq2_0.vec_dot:k=300:n=1:probe=random:seed=1", {}), UserError);
}

TEST(Verify, KernelsOfBlocksTakePartAndLeaveModelsAlone) {
  VerifyOptions o = quick();
  o.filters = {"tq"};
  o.families = {"f2"};  // in any case of letters, as for I2_S
  const Report r = verify(o);
  EXPECT_EQ(r.kernels.size(), 9u);
  EXPECT_EQ(exit_code(r), kExitPass);
  for (const KernelReport& k : r.kernels) {
    if (k.verdict == Verdict::skipped) continue;
    ASSERT_EQ(k.families.size(), 1u) << k.kernel.name;
    EXPECT_EQ(k.families[0].family, "F2");
  }
  o.families.clear();
  o.model = kModels + "paris-b-i2_s.x86_128.gguf";
  o.force = true;
  EXPECT_EQ(exit_code(verify(o)), kExitNothingRan);
}

TEST(Verify, ADeviceGivenTwiceIsOneTarget) {
  VerifyOptions o = quick();
  o.filters = {"x86_128_dot_scalar"};
  o.devices = {"local", "local"};
  EXPECT_EQ(verify(o).targets.size(), 1u);
}

class RealModels : public testing::TestWithParam<Layout> {};

TEST_P(RealModels, EveryRowOfEveryTensorIsRightUnderItsLayout) {
  for (const char* model : {"paris-a", "paris-b"}) {
    VerifyOptions o;
    o.model = kModels + model + "-i2_s." + std::string(i2_s::name(GetParam())) + ".gguf";
    o.layout = GetParam();
    const Report r = verify(o);
    EXPECT_EQ(exit_code(r), kExitPass);
    EXPECT_EQ(r.model.value().tensors, 28);
    EXPECT_GT(r.model->cases, 100);
    int passed = 0;
    for (const KernelReport& k : r.kernels) {
      const bool meant = k.kernel.of_i2_s() && k.kernel.contract.layout == GetParam();
      EXPECT_EQ(k.verdict == Verdict::pass, meant && k.kernel.via != Via::absent) << k.kernel.name;
      if (k.verdict == Verdict::pass && k.kernel.contract.op == Op::dot) {
        EXPECT_EQ(k.cases, r.model->rows);
      }
      passed += k.verdict == Verdict::pass;
    }
    EXPECT_GT(passed, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, RealModels, testing::ValuesIn(i2_s::kLayouts),
                         [](const auto& l) { return std::string(i2_s::name(l.param)); });

TEST(RealModel, AKernelOfAnotherLayoutIsWrongAndBothAreNamed) {
  const struct {
    Layout file;
    const char* kernel;
    const char* diagnosis;
  } cases[] = {{Layout::x86_128, "i2_s_arm_64_dot_scalar", "layout-block-size"},
               {Layout::x86_128, "i2_s_linear_dot_scalar", "layout-linear"},
               {Layout::arm_64, "i2_s_x86_128_dot_scalar", "layout-block-size"},
               {Layout::linear, "i2_s_x86_128_rows_scalar", "layout-block-size"},
               {Layout::rows_1x4, "i2_s_x86_128_rows_scalar", "layout-block-size"},
               {Layout::x86_128, "i2_s_rows_1x4_rows_scalar", "layout-rows"},
               {Layout::x86_128, "i2_s_arm_64_gemv_scalar", "layout-block-size"}};
  for (const auto& c : cases) {
    VerifyOptions o;
    o.model = kModels + "paris-b-i2_s." + std::string(i2_s::name(c.file)) + ".gguf";
    o.layout = c.file;
    o.kernels = {c.kernel};
    o.force = true;
    const Report r = verify(o);
    const Failure f = r.kernels.at(0).failure.value();
    EXPECT_EQ(f.diagnosis, c.diagnosis) << c.kernel << " on " << i2_s::name(c.file) << ": " << f.sentence;
    EXPECT_NE(f.sentence.find(i2_s::name(c.file)), std::string::npos) << f.sentence;
    EXPECT_NE(f.sentence.find(i2_s::name(r.kernels[0].kernel.contract.layout)), std::string::npos) << f.sentence;
    EXPECT_EQ(exit_code(r), kExitWrong);
    VerifyOptions again = o;
    EXPECT_EQ(replay(f.case_text, again).kernels.at(0).failure.value().diagnosis, c.diagnosis);
  }
}

TEST(RealModel, FilesThatCannotServeAreRefused) {
  VerifyOptions o;
  for (const std::string& path : {kModels + "no-such-file.gguf", kModels + "paris-b-f32.gguf", kModels + "README.md"}) {
    o.model = path;
    const auto [code, text] = error_of(o);
    EXPECT_EQ(code, kExitBadFile) << path;
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_NE(text.find(path), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace tritcheck
