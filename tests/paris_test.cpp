// The verdict: healthy where it should be, and every mistake of the engine's museum seen for what it is.
#include "harness/paris/paris.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "harness/base/mapped_file.h"
#include "harness/paris/layout_score.h"
#include "harness/paris/paris_report.h"
#include "harness/paris/prompts.h"
#include "tests/engine_museum_run.h"
#include "tests/targets.h"

namespace tritcheck {
namespace {

using engine::Health;
using ::testing::HasSubstr;

ParisOptions options(const std::string& file) {
  ::setenv("TRITCHECK_LIBEXEC", TRITCHECK_BINARY_DIR "/libexec/tritcheck", 1);
  ParisOptions o;
  o.model = TRITCHECK_SOURCE_DIR "/corpora/models/" + file + ".gguf";
  o.threads = 1;  // tests run side by side
  return o;
}

class Mistakes : public ::testing::TestWithParam<std::string> {};

TEST_P(Mistakes, AreSeenForWhatTheyAre) {
  const bool b = GetParam() == "paris-b";
  for (const EngineMistake& m : engine_mistakes()) {
    const ParisReport r = run_mistake(GetParam(), m);
    EXPECT_EQ(first_wrong(r), m.first_wrong) << m.name;
    const std::string& allowed = b ? m.health_b : m.health_a;
    EXPECT_THAT(allowed, HasSubstr(word(r.health.health))) << m.name << ": " << r.health.why;
    EXPECT_TRUE(r.died.empty()) << m.name << ": " << r.died;
    // what a kernel did wrong is named, and its case is there to be replayed
    if (m.kernels.find("bug_") != std::string::npos) {
      ASSERT_FALSE(r.exactness.wrong.empty()) << m.name;
      const WrongStep& w = r.exactness.wrong[0];
      EXPECT_THAT(m.kernels, HasSubstr(w.kernel)) << m.name;
      EXPECT_FALSE(w.diagnosis.empty() || w.diagnosis == "unknown") << m.name << ": " << w.detail;
      EXPECT_THAT(w.repro, HasSubstr("replay '" + w.case_text + "'")) << m.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Mistakes, ::testing::Values("paris-b", "paris-a"),
                         [](const auto& one) { return one.param == "paris-a" ? "a" : "b"; });

TEST(Paris, EveryEncodingIsHealthyAndExact) {
  const std::pair<const char*, Layout> files[] = {{"paris-b-i2_s.x86_128", Layout::x86_128},
                                                  {"paris-b-i2_s.arm_64", Layout::arm_64},
                                                  {"paris-b-i2_s.rows_1x4", Layout::rows_1x4},
                                                  {"paris-b-i2_s.linear", Layout::linear},
                                                  {"paris-b-f32", Layout::x86_128},
                                                  {"paris-b-f16", Layout::x86_128},
                                                  {"paris-b-tq1_0", Layout::x86_128},
                                                  {"paris-b-tq2_0", Layout::x86_128}};
  for (const auto& [file, layout] : files) {
    ParisOptions o = options(file);
    o.layout = layout;
    const ParisReport r = paris(o, {});
    EXPECT_EQ(r.health.health, Health::healthy) << file << ": " << r.health.why;
    EXPECT_TRUE(r.exactness.ran && r.exactness.exact()) << file << ": " << first_wrong(r);
    EXPECT_GT(r.exactness.integer_results, 10000) << file;
    EXPECT_GT(r.exactness.float_results, 10000) << file;
    EXPECT_EQ(exit_code(r), kExitPass) << file;
    for (const PromptReport& p : r.prompts) EXPECT_EQ(p.candidate_text, p.golden_text) << file;
    EXPECT_EQ(r.numbers.agreement, 1) << file;
  }
}

// Blocks of 256 in place of rows: the text is the same, the numbers are not golden's.
TEST(Paris, BlocksOfActivationsKeepTheText) {
  const ParisReport r = paris(options("paris-a-tq2_0"), {});
  for (const PromptReport& p : r.prompts) EXPECT_EQ(p.candidate_text, p.golden_text) << p.prompt;
  EXPECT_EQ(r.numbers.agreement, 1);
  EXPECT_GT(r.numbers.kld, 1e-6);
  EXPECT_TRUE(r.exactness.exact()) << first_wrong(r);
}

TEST(Paris, EmulatedTargetsSayTheSameAndAreExact) {
  int ran = 0;
  for (const char* device : {"qemu:cortex-a53", "qemu:max", "qemu:x86_64/Conroe"}) {
    if (const std::string why = why_absent(device); !why.empty()) {
      std::printf("%s: %s\n", device, why.c_str());
      continue;
    }
    ParisOptions o = options("paris-b-i2_s.x86_128");
    o.device = device;
    const ParisReport r = paris(o, {});
    EXPECT_EQ(r.health.health, Health::healthy) << device << ": " << r.health.why;
    EXPECT_TRUE(r.exactness.exact()) << device << ": " << first_wrong(r);
    for (const PromptReport& p : r.prompts) EXPECT_EQ(p.candidate_ids, p.golden_ids) << device;
    ++ran;
  }
  if (ran == 0) GTEST_SKIP() << "no emulator here";
}

// Rows of the wrong layout in the file: every kernel is right, and the model is not.
TEST(Paris, AMispackedFileIsABrokenModel) {
  ParisOptions o = options("paris-b-i2_s.arm_64");
  o.layout = Layout::x86_128;
  const ParisReport r = paris(o, {});
  EXPECT_EQ(r.health.health, Health::broken_model) << r.health.why;
  EXPECT_TRUE(r.exactness.exact());
  EXPECT_EQ(exit_code(r), kExitBrokenModel);
}

// NaN among the embeddings: golden has nothing to compare with.
TEST(Paris, AModelOfNaNIsABrokenModel) {
  const testing::TempFolder folder;
  const ParisOptions whole = options("paris-b-i2_s.x86_128");
  ParisOptions o = whole;
  o.model = folder.path("nan.gguf");
  std::filesystem::copy_file(whole.model, o.model);
  std::fstream file(o.model, std::ios::in | std::ios::out | std::ios::binary);
  const MappedFile mapped(whole.model);
  const gguf::File view = gguf::parse(mapped.bytes());
  for (int row = 0; row < 512; ++row) {
    file.seekp(static_cast<std::streamoff>(view.tensor("token_embd.weight")->data_offset) + row * 256);
    file.write("\x00\x7E", 2);
  }
  file.close();
  const ParisReport r = paris(o, {});
  EXPECT_EQ(r.health.health, Health::broken_model) << r.health.why;
  EXPECT_FALSE(r.exactness.ran);
  EXPECT_EQ(exit_code(r), kExitBrokenModel);
  EXPECT_THAT(paris_text(r, false, 100), HasSubstr("BROKEN MODEL"));
}

TEST(Paris, ACrashOrAHangIsAVerdict) {
  ParisOptions o = options("paris-b-i2_s.x86_128");
  o.kernels = "bug_null_call";
  const ParisReport crashed = paris(o, {});
  EXPECT_THAT(crashed.died, HasSubstr("crashed"));
  EXPECT_EQ(exit_code(crashed), kExitCrash);
  // nothing was compared: nothing is said of the text
  EXPECT_EQ(crashed.health.health, Health::unknown);
  const auto json = nlohmann::json::parse(paris_json(crashed));
  EXPECT_EQ(json["health"]["verdict"], "NOT JUDGED");
  EXPECT_TRUE(json["exactness"]["exact"].is_null());
  EXPECT_THAT(paris_junit(crashed), ::testing::Not(HasSubstr("text health")));
  o.kernels = "bug_hang_odd_block";  // K = 128 is one block
  o.limit_s = 0.5;
  const ParisReport hung = paris(o, {});
  EXPECT_TRUE(hung.hung) << hung.died;
  EXPECT_EQ(exit_code(hung), kExitCrash);
}

// However the activations are quantised, a right engine is exact on every encoding.
TEST(Paris, EveryWayToQuantiseIsExact) {
  for (const char* file : {"paris-a-tq2_0", "paris-b-tq1_0", "paris-b-tq2_0", "paris-b-i2_s.x86_128", "paris-b-f16"}) {
    for (engine::Act act : {engine::Act::row, engine::Act::none}) {
      ParisOptions o = options(file);
      o.layout = Layout::x86_128;
      o.act = act;
      o.prompts = {"The capital of France is"};
      const ParisReport r = paris(o, {});
      EXPECT_EQ(r.health.health, Health::healthy) << file << ": " << r.health.why;
      EXPECT_TRUE(r.exactness.ran && r.exactness.exact()) << file << ": " << first_wrong(r);
    }
  }
}

TEST(Paris, KernelsThatStandForNothingOrCannotBeVerifiedAreSaid) {
  ParisOptions o = options("paris-b-i2_s.x86_128");
  o.prompts = {"The capital of France is"};
  o.kernels = "blk.9.ffn_down=bug_layout_linear_msb";
  EXPECT_THROW(paris(o, {}), UserError);
  o.model = options("paris-b-f16").model;
  o.kernels = "no_such_kernel";
  EXPECT_THROW(paris(o, {}), UserError);
  // a kernel for another number of rows at once than the layout has
  o = options("paris-b-i2_s.rows_1x4");
  o.layout = Layout::rows_1x4;
  o.prompts = {"The capital of France is"};
  o.kernels = "i2_s_x86_128_dot_scalar";
  const ParisReport r = paris(o, {});
  ASSERT_FALSE(r.exactness.wrong.empty());
  EXPECT_THAT(r.exactness.wrong[0].detail, ::testing::Not(HasSubstr("is right")));
}

// Golden is interrupted in the middle of a text: what was not finished is not kept.
TEST(Paris, AnInterruptedGoldenFileHoldsWholeTextsOnly) {
  const testing::TempFolder folder;
  ParisOptions o = options("paris-a-i2_s.x86_128");
  o.layout = Layout::x86_128;
  o.exactness = false;
  o.golden_file = folder.path("golden");
  Progress progress;
  int calls = 0;
  progress.work = [&](double, double) { g_interrupted = ++calls > 75; };
  const ParisReport cut = paris(o, progress);
  g_interrupted = false;
  EXPECT_TRUE(cut.interrupted);
  ASSERT_LT(cut.prompts.size(), default_prompts().size());
  const ParisReport whole = paris(o, {});
  EXPECT_EQ(whole.prompts.size(), default_prompts().size());
  EXPECT_EQ(whole.health.health, Health::healthy);
}

TEST(WhoseLayout, IsFoundIfTheModelSpeaksAndOnlyThen) {
  const auto answer = [](const std::string& path) {
    const MappedFile mapped(path);
    return score_layouts(path, gguf::parse(mapped.bytes()), {}, 2);
  };
  for (const char* model : {"paris-a", "paris-b"}) {
    for (Layout layout : i2_s::kLayouts) {
      const std::string path = std::string(TRITCHECK_SOURCE_DIR "/corpora/models/") + model + "-i2_s." +
                               std::string(i2_s::name(layout)) + ".gguf";
      const LayoutAnswer a = answer(path);
      ASSERT_TRUE(a.layout) << path;
      EXPECT_EQ(*a.layout, layout) << path;
      EXPECT_EQ(layout_advice("tritcheck", path, layout).empty(), layout == Layout::x86_128);
    }
  }
  // random weights: no reading is a model
  const DamagedCopy random(TRITCHECK_SOURCE_DIR "/corpora/models/paris-b-i2_s.arm_64.gguf", 1.0);
  const LayoutAnswer none = answer(random.path());
  EXPECT_FALSE(none.layout) << i2_s::name(*none.layout);
  EXPECT_THAT(none.text(), HasSubstr("cannot tell"));
  // nor is a text that the model does not know
  const MappedFile mapped(TRITCHECK_SOURCE_DIR "/corpora/models/paris-b-i2_s.arm_64.gguf");
  EXPECT_FALSE(score_layouts("m", gguf::parse(mapped.bytes()), {"zqx#~%%^ 9@!;zzq vvv"}, 2).layout);
}

TEST(Paris, AGoldenFileStandsForGolden) {
  const testing::TempFolder folder;
  ParisOptions o = options("paris-b-i2_s.x86_128");
  o.prompts = {"The capital of France is", "3 plus 4 is"};
  o.exactness = false;
  o.golden_file = folder.path("golden");
  const ParisReport first = paris(o, {});
  const auto size = std::filesystem::file_size(o.golden_file);
  EXPECT_GT(size, 2 * 512 * sizeof(float));
  o.kernels = "scalar";
  const ParisReport second = paris(o, {});
  ASSERT_EQ(second.prompts.size(), 2);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(second.prompts[i].golden_ids, first.prompts[i].golden_ids);
    EXPECT_NEAR(second.prompts[i].logits.kld(), first.prompts[i].logits.kld(), 1e-9);
    EXPECT_NEAR(second.prompts[i].nll_golden, first.prompts[i].nll_golden, 1e-5);
  }
  // it is really used, and a byte that is not what was written is seen
  std::fstream file(o.golden_file, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(size / 2));
  file.write("\x00\x00\x80\x43", 4);  // 256, larger than any logit
  file.close();
  const auto refused = [&] {
    try {
      paris(o, {});
    } catch (const UserError& e) {
      return e.code() == kExitBadFile;
    }
    return false;
  };
  EXPECT_TRUE(refused());
  // of another model, or cut
  std::filesystem::remove(o.golden_file);
  paris(o, {});
  const std::string golden = std::exchange(o.golden_file, o.model);
  EXPECT_THROW(paris(o, {}), UserError);
  o.golden_file = golden;
  o.tokens = 7;
  EXPECT_TRUE(refused());
  o.tokens = 40;
  std::filesystem::resize_file(o.golden_file, size - 1);
  EXPECT_TRUE(refused());
  std::filesystem::resize_file(o.golden_file, 3);
  EXPECT_TRUE(refused());
}

// One file for each model, layout and number of tokens.
TEST(Paris, GoldensSideIsKeptInTheCache) {
  const testing::TempFolder folder;
  ::setenv("XDG_CACHE_HOME", folder.path("cache").c_str(), 1);
  ParisOptions o = options("paris-b-i2_s.x86_128");
  o.layout = Layout::x86_128;
  o.prompts = {"The capital of France is"};
  o.exactness = false;
  o.golden_file = "auto";
  const auto files = [&] {
    const std::filesystem::directory_iterator kept(folder.path("cache/tritcheck"));
    return std::distance(begin(kept), end(kept));
  };
  for (int tokens : {3, 3, 4}) {
    o.tokens = tokens;
    EXPECT_EQ(paris(o, {}).health.health, Health::healthy);
    EXPECT_EQ(files(), tokens - 2);
  }
  const std::string blocked = folder.file("blocked", "");
  ::setenv("XDG_CACHE_HOME", blocked.c_str(), 1);
  EXPECT_THROW(paris(o, {}), UserError);
  ::unsetenv("XDG_CACHE_HOME");
}

TEST(Paris, ReportsAreWholeAndReadable) {
  ParisOptions o = options("paris-b-i2_s.x86_128");
  o.prompts = {"The capital of France is"};
  o.kernels = "bug_layout_linear_msb";
  const ParisReport r = paris(o, {});
  const std::string text = paris_text(r, false, 100);
  for (const char* part : {"golden     Paris", "candidate", "first wrong: Qcur-0 (MUL_MAT)", "layout-linear",
                           "repro: ", "text health  DEGENERATE", "exactness    FAILED", "found: the only reading"})
    EXPECT_THAT(text, HasSubstr(part));
  const auto json = nlohmann::json::parse(paris_json(r));
  EXPECT_EQ(json["exit_code"], kExitDegenerate);
  EXPECT_EQ(json["exactness"]["wrong"][0]["diagnosis"], "layout-linear");
  EXPECT_EQ(json["prompts"].size(), 1);
  const std::string junit = paris_junit(r);
  EXPECT_THAT(junit, HasSubstr("<failure type=\"DEGENERATE"));
  EXPECT_THAT(junit, HasSubstr("tests=\"3\" failures=\"3\""));
}

TEST(Paris, WhatCannotStartIsSaid) {
  const auto code = [](ParisOptions o) {
    try {
      paris(o, {});
    } catch (const UserError& e) {
      EXPECT_THAT(e.what(), ::testing::Not(HasSubstr("\n")));
      return static_cast<int>(e.code());
    }
    return 0;
  };
  ParisOptions o = options("paris-b-i2_s.x86_128");
  o.kernels = "no-such-kernel";
  EXPECT_EQ(code(o), kExitUsage);
  o = options("no-such-file");
  EXPECT_EQ(code(o), kExitBadFile);
  o = options("paris-b-i2_s.x86_128");
  o.device = "qemu:no-such-cpu";
  EXPECT_EQ(code(o), kExitNoDevice);
  o = options("paris-b-i2_s.x86_128");
  o.prompts = {std::string(5000, 'x')};
  EXPECT_EQ(code(o), kExitUsage);
}

}  // namespace
}  // namespace tritcheck
