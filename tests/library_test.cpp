// verify --lib on fakes: libraries of every era, plug-ins that something is wrong with, files that are no libraries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "harness/report/report.h"
#include "tests/fakes.h"
#include "tests/temp_folder.h"

namespace tritcheck {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tritcheck::testing::fake;
using tritcheck::testing::options_for;
using tritcheck::testing::run;
using tritcheck::testing::run_fake;
using tritcheck::testing::TempFolder;

const KernelReport* find(const Report& r, const std::string& name) {
  for (const KernelReport& k : r.kernels) {
    if (k.kernel.name == name) return &k;
  }
  return nullptr;
}
Verdict verdict(const Report& r, const std::string& name) {
  const KernelReport* k = find(r, name);
  return k == nullptr ? Verdict::skipped : k->verdict;
}
const LibraryInfo& library(const Report& r) {
  return r.targets.at(0).worker.library;
}

struct Era {
  const char* name;
  const char* words;
};
class EveryEra : public ::testing::TestWithParam<Era> {};

TEST_P(EveryEra, IsRecognisedAndVerified) {
  const Report r = run_fake(GetParam().name);
  EXPECT_THAT(library(r).abi, HasSubstr(GetParam().words));
  EXPECT_EQ(library(r).version, "fake 1");
  EXPECT_EQ(verdict(r, "ggml_vec_dot_q8_0_q8_0"), Verdict::pass);
  EXPECT_EQ(verdict(r, "q8_0 to_float"), Verdict::pass);
  EXPECT_EQ(verdict(r, "q8_0 from_float"), Verdict::pass);
  EXPECT_EQ(exit_code(r), kExitPass);
  EXPECT_THAT(library(r).notes, Contains(HasSubstr("are 0 until ggml_cpu_init")));
}
INSTANTIATE_TEST_SUITE_P(Library, EveryEra,
                         ::testing::Values(Era{"era_4", "56 and 32 bytes"}, Era{"era_3", "64 and 56 bytes"},
                                           Era{"era_2", "entries of 120 bytes"}, Era{"era_120", "by value, 120"},
                                           Era{"era_128", "by value, 128"}, Era{"short_table", "56 and 32"}),
                         [](const auto& i) { return std::string(i.param.name); });

TEST(Library, TernaryDotsAreFoundByTableOrBySymbol) {
  for (const char* name : {"era_4", "era_3", "era_2", "era_120", "era_0", "short_table"}) {
    EXPECT_EQ(verdict(run_fake(name), "ggml_vec_dot_tq2_0_q8_K"), Verdict::pass) << name;
  }
}

TEST(Library, BlocksOfAnotherLengthAreAnotherFormat) {
  const Report r = run_fake("era_128");
  EXPECT_THAT(library(r).notes, Contains(HasSubstr("q8_K: its blocks have 296 bytes, the format known here 292")));
}

TEST(Library, WithoutATableSymbolsServe) {
  const Report r = run_fake("era_0");
  EXPECT_EQ(library(r).abi, "");
  EXPECT_EQ(verdict(r, "ggml_vec_dot_q8_0_q8_0"), Verdict::pass);
  EXPECT_THAT(library(r).notes, Contains(HasSubstr("no table of types")));
  const Report half = run_fake("no_base");
  EXPECT_THAT(library(half).notes, Contains(HasSubstr("ggml_get_type_traits is nowhere")));
  EXPECT_EQ(verdict(half, "ggml_vec_dot_tq2_0_q8_K"), Verdict::pass);
}

TEST(Library, TheInitialisationOfAnotherCopyIsSaidSo) {
  const Report r = run_fake("wrong_init");
  EXPECT_THAT(library(r).notes, Contains(HasSubstr("ggml_cpu_init is not its own but that of ")));
  EXPECT_THAT(library(r).notes, Contains(HasSubstr("0 although it was initialised")));
  ASSERT_NE(find(r, "ggml_vec_dot_q8_0_q8_0"), nullptr);
  ASSERT_TRUE(find(r, "ggml_vec_dot_q8_0_q8_0")->failure);
  EXPECT_EQ(find(r, "ggml_vec_dot_q8_0_q8_0")->failure->diagnosis, "zero-result");
  EXPECT_EQ(exit_code(r), kExitWrong);
}

TEST(Library, ThatRefusesThisCpuIsSkippedWithItsReason) {
  const Report r = run_fake("no_score");
  ASSERT_FALSE(r.kernels.empty());
  for (const KernelReport& k : r.kernels) {
    EXPECT_EQ(k.verdict, Verdict::skipped);
    EXPECT_THAT(k.reason, ::testing::AnyOf(HasSubstr("no oracle"), HasSubstr("ggml_backend_score is 0")));
  }
  EXPECT_EQ(exit_code(r), kExitNothingRan);
  EXPECT_EQ(verdict(run_fake("good_score"), "ggml_vec_dot_q8_0_q8_0"), Verdict::pass);
}

TEST(Library, AFaultIsNamedAndItsReproLineFails) {
  const Report r = run_fake("fault");
  const KernelReport* k = find(r, "ggml_vec_dot_tq2_0_q8_K");
  ASSERT_NE(k, nullptr);
  ASSERT_TRUE(k->failure);
  EXPECT_EQ(k->failure->diagnosis, "tail-dropped");
  EXPECT_THAT(k->failure->case_text, HasSubstr("k=512")) << "shrunk to the smallest that shows it";
  EXPECT_THAT(k->failure->repro, HasSubstr("--lib '" + fake("fault") + "' --kernel ggml_vec_dot_tq2_0_q8_K"));
  VerifyOptions again = options_for({fake("fault")});
  again.kernels = {"ggml_vec_dot_tq2_0_q8_K"};
  const Report replayed = replay(k->failure->case_text, again);
  EXPECT_EQ(exit_code(replayed), kExitWrong);
  again.libs = {fake("era_4")};
  EXPECT_EQ(exit_code(replay(k->failure->case_text, again)), kExitPass);
}

struct Bitnet {
  const char* name;
  const char* contract;
  std::vector<std::string> passes;
};
class EveryI2s : public ::testing::TestWithParam<Bitnet> {};

// One signature, several conventions: the convention is found by asking, and then the function is held to it.
TEST_P(EveryI2s, ItsContractIsInferredAndVerified) {
  const Report r = run_fake(GetParam().name);
  EXPECT_THAT(library(r).notes, Contains(HasSubstr(std::string("ggml_vec_dot_i2_i8_s: ") + GetParam().contract)));
  std::vector<std::string> passed;
  for (const KernelReport& k : r.kernels) {
    if (k.verdict == Verdict::pass) passed.push_back(k.kernel.name);
  }
  EXPECT_THAT(passed, ::testing::ElementsAreArray(GetParam().passes)) << text_report(r, {});
}
INSTANTIATE_TEST_SUITE_P(
    Library, EveryI2s,
    ::testing::Values(
        Bitnet{"i2_first_era", "layout x86_128, raw; nrc = 2, 3, 4, 8: ignored", {"ggml_vec_dot_i2_i8_s"}},
        Bitnet{"i2_parallel",
               "layout x86_128, raw; nrc = 2, 3: weight rows, nrc = 4, 8: activation rows",
               {"ggml_vec_dot_i2_i8_s", "ggml_vec_dot_i2_i8_s (nrc: activation rows)"}},
        Bitnet{"i2_arm", "layout arm_64, raw; nrc = 2, 3, 4, 8: ignored", {"ggml_vec_dot_i2_i8_s"}},
        Bitnet{"i2_linear_centred", "layout linear, centred; nrc = 2, 3, 4, 8: weight rows", {"ggml_vec_dot_i2_i8_s"}},
        Bitnet{"i2_empty", "the output is never written", {}},
        Bitnet{"i2_int16", "layout x86_128, raw; nrc = 2, 3, 4, 8: ignored", {}}),
    [](const auto& i) { return std::string(i.param.name); });

TEST(Library, WhatI2sProductsDoWrongIsNamed) {
  const auto named = [](const std::string& lib, const std::string& function) {
    const Report r = run_fake(lib);
    const KernelReport* k = find(r, function);
    return k == nullptr || !k->failure ? std::string("no failure") : k->failure->diagnosis;
  };
  EXPECT_EQ(named("i2_int16", "ggml_vec_dot_i2_i8_s"), "int16-overflow");
  EXPECT_EQ(named("i2_empty", "ggml_vec_dot_i2_i8_s"), "unwritten");
  EXPECT_EQ(named("i2_linear_centred", "ggml_vec_dot_i2_i8_s (nrc: weight rows)"), "row-stride");
}

struct Bad {
  const char* name;
  const char* words;
  ExitCode code;
};
class EveryBadPlugin : public ::testing::TestWithParam<Bad> {};

// Each gets a verdict of its own, and a good library in the same run is verified all the same.
TEST_P(EveryBadPlugin, GetsAClearVerdictAndTheRunGoesOn) {
  const Report r = run({fake(GetParam().name), fake("era_4")});
  EXPECT_EQ(verdict(r, "ggml_vec_dot_q8_0_q8_0"), Verdict::pass);
  EXPECT_EQ(exit_code(r), GetParam().code);
  const bool said = std::any_of(r.kernels.begin(), r.kernels.end(), [](const KernelReport& k) {
    return k.reason.find(GetParam().words) != std::string::npos ||
           (k.failure && k.failure->sentence.find(GetParam().words) != std::string::npos);
  });
  EXPECT_TRUE(said) << text_report(r, {});
}
INSTANTIATE_TEST_SUITE_P(
    Library, EveryBadPlugin,
    ::testing::Values(
        Bad{"bad_load_crash", "dies when it is loaded: Segmentation fault", kExitCrash},
        Bad{"bad_load_exit", "dies when it is loaded: it ends the process", kExitCrash},
        Bad{"bad_load_hang", "hangs when it is loaded: no answer for 5 s", kExitCrash},
        Bad{"bad_crash", "tritcheck_plugin() did not return: Segmentation fault", kExitCrash},
        Bad{"bad_hang", "tritcheck_plugin() did not return: no answer", kExitCrash},
        Bad{"bad_null", "tritcheck_plugin() returns null", kExitBadFile},
        Bad{"bad_pointer", "returns an address where nothing is", kExitBadFile},
        Bad{"bad_version", "built for version 99", kExitBadFile}, Bad{"bad_count", "its list has", kExitBadFile},
        Bad{"bad_list", "kernels is not there", kExitBadFile},
        Bad{"bad_name_pointer", "name points to memory that is not there", kExitBadFile},
        Bad{"bad_no_name", "name '' is empty", kExitBadFile}, Bad{"bad_op", "op 'matmul'", kExitBadFile},
        Bad{"bad_no_function", "function is null", kExitBadFile}, Bad{"bad_align", "not a power of two", kExitBadFile},
        Bad{"bad_needs_unknown", "needs 'warp9', a CPU feature that is not known here; known are ", kExitPass},
        Bad{"bad_terminates", "dies of SIGTERM", kExitCrash},
        Bad{"bad_diagnosis", "diagnosis 'word-salad' is no name", kExitBadFile},
        Bad{"bad_unknown_format", "no oracle for iq9_xxs", kExitPass}, Bad{"bad_old_header", "", kExitWrong},
        Bad{"bad_counts", "the same call gives different results", kExitWrong},
        Bad{"nothing", "nothing that can be verified", kExitBadFile}),
    [](const auto& i) { return std::string(i.param.name); });

TEST(Library, OneThatDiesIsNoFunction) {
  const Report r = run_fake("bad_load_crash");
  ASSERT_EQ(r.kernels.size(), 1U);
  EXPECT_EQ(r.kernels[0].kernel.role, Role::library);
  EXPECT_THAT(text_report(r, {}), HasSubstr("loading it"));
}

TEST(Library, FilesThatAreNoLibraries) {
  const TempFolder folder;
  std::ifstream in(fake("era_4"), std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(in), {}};
  std::string other = good;
  other[18] = static_cast<char>(183);  // e_machine: aarch64
  const struct {
    std::string path;
    std::string words;
  } files[] = {{folder.file("empty.so", ""), "cannot be mapped"},
               {folder.file("text.so", "no library at all"), "not a shared library"},
               {folder.file("cut.so", good.substr(0, 600)), "damaged: the file ends before"},
               {std::string(TRITCHECK_BINARY_DIR) + "/tests/CMakeFiles/no.such.file", "no such file"}};
  for (const auto& [path, words] : files) {
    try {
      const Report r = run({path});
      EXPECT_EQ(exit_code(r), kExitBadFile) << path;
      ASSERT_EQ(r.kernels.size(), 1U) << path;
      EXPECT_FALSE(r.kernels[0].reason.empty()) << path;
    } catch (const UserError& e) {
      EXPECT_EQ(e.code(), kExitBadFile);
      EXPECT_THAT(e.what(), HasSubstr(words));
    }
  }
#if defined(__x86_64__)
  const Report foreign = run({folder.file("arm.so", other)});
  EXPECT_EQ(exit_code(foreign), kExitNothingRan);
  EXPECT_THAT(foreign.kernels.at(0).reason, HasSubstr("a library for aarch64"));
#endif
  const TempFolder nothing;
  nothing.file("text.so", "no library at all");
  EXPECT_THROW(run({nothing.path()}), UserError);
}

TEST(Library, AFolderIsOneRunOverWhatIsPromisingInIt) {
  const TempFolder folder;
  for (const char* name : {"era_4", "era_3", "nothing"}) {
    std::filesystem::copy_file(fake(name), folder.path(std::string(name) + ".so"));
  }
  std::ofstream(folder.path("readme.so.txt")) << "text";
  // other names of one that is there
  std::filesystem::create_symlink("era_4.so", folder.path("libera.so.0"));
  std::filesystem::create_symlink("libera.so.0", folder.path("libera.so"));
  const Report r = run({folder.path()});
  EXPECT_EQ(r.targets.size(), 2U);
  EXPECT_EQ(exit_code(r), kExitPass);

  // one that was cut off is not lost
  std::ofstream(folder.path("cut.so"), std::ios::binary) << testing::contents(fake("era_4")).substr(0, 600);
  const Report with = run({folder.path()});
  EXPECT_EQ(with.targets.size(), 3U);
  EXPECT_TRUE(std::ranges::any_of(with.kernels, [](const KernelReport& k) { return k.reason.starts_with("damaged"); }));
  EXPECT_EQ(exit_code(with), kExitPass);

  VerifyOptions compare;
  compare.libs = {folder.path(), folder.path()};
  compare.compare = true;
  EXPECT_THROW(verify(compare), UserError);
}

TEST(Library, KnownDefectsDoNotCountButNewOnesDo) {
  const TempFolder folder;
  const std::string path = folder.path("known");
  const auto run_with = [&](const std::string& text) {
    std::ofstream(path) << text;
    VerifyOptions o = options_for({fake("fault")});
    o.baseline = path;
    return verify(o);
  };
  const Report all = run_with("# both\nfault.so local ggml_vec_dot_* tail-dropped # why\n");
  EXPECT_EQ(exit_code(all), kExitPass);
  EXPECT_THAT(all.unseen_defects, ::testing::IsEmpty());
  EXPECT_EQ(exit_code(run_with("fault.so local ggml_vec_dot_q8_0_q8_0 tail-dropped\n")), kExitWrong);
  EXPECT_EQ(exit_code(run_with("fault.so local ggml_vec_dot_* over-read\n")), kExitWrong)
      << "another name is another defect";
  const Report repaired = run_with("*.so * q8_0?to_float tail-dropped\nfault.so local ggml_vec_dot_* tail-dropped\n");
  EXPECT_EQ(exit_code(repaired), kExitPass);
  EXPECT_THAT(repaired.unseen_defects, ElementsAre(HasSubstr("q8_0?to_float tail-dropped (line 1)")));
  EXPECT_THROW(run_with("fault.so local tail-dropped\n"), UserError);
  EXPECT_THROW(run_with("fault.so local * no-such-name\n"), UserError);
  VerifyOptions folder_as_file = options_for({fake("fault")});
  folder_as_file.baseline = folder.path();
  EXPECT_THROW(verify(folder_as_file), UserError);
}

TEST(Library, ComparedToAnOlderOneOnlyWhatIsWorseCounts) {
  const auto compared = [](const char* before, const char* after) {
    VerifyOptions o = options_for({fake(before), fake(after)});
    o.compare = true;
    return verify(o);
  };
  const Report worse = compared("era_4", "fault");
  EXPECT_EQ(exit_code(worse), kExitWrong);
  EXPECT_THAT(worse.changes,
              Contains(HasSubstr("changed: ggml_vec_dot_tq2_0_q8_K on local: right before, tail-dropped now")));
  const Report better = compared("fault", "era_4");
  EXPECT_EQ(exit_code(better), kExitPass);
  EXPECT_THAT(better.changes, Contains(HasSubstr("tail-dropped before, right now")));
  EXPECT_EQ(exit_code(compared("fault", "fault")), kExitPass) << "no worse than before";
}

}  // namespace
}  // namespace tritcheck
