// verify --lib --report upstream: the report for a library's authors holds a program that shows the fault without
// tritcheck.
#include "harness/report/upstream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/fakes.h"
#include "tests/shell.h"
#include "tests/temp_folder.h"

namespace tritcheck {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using tritcheck::testing::fake;
using tritcheck::testing::Ran;
using tritcheck::testing::run;
using tritcheck::testing::run_fake;
using tritcheck::testing::shell_in;
using tritcheck::testing::TempFolder;

class Upstream : public ::testing::Test {
 protected:
  // Builds the first program of a report in the folder, as ./repro.
  void build(const std::string& text) {
    const size_t from = text.find("```c\n") + 5;
    folder.file("repro.c", text.substr(from, text.find("```", from) - from));
    const Ran built = shell("cc -O1 -Wall -Wextra -Werror -o repro repro.c -ldl");
    ASSERT_EQ(built.code, 0) << built.err;
  }
  Ran shell(const std::string& command) const { return shell_in(folder.path(), command, folder.path()); }
  // It must find the fault in this library, and none in one that is right.
  void expect_fault(const std::string& line, const std::string& good) const {
    const Ran ran = shell("./repro");
    EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
    EXPECT_THAT(ran.out, HasSubstr(line));
    const Ran right = shell("./repro " + good);
    EXPECT_EQ(right.code, 0) << right.out << right.err;
    EXPECT_THAT(right.out, HasSubstr("all right"));
  }
  const TempFolder folder;
};

TEST_F(Upstream, TheReportReproducesTheFaultInPlainC) {
  // a path that C, too, must be told about
  const std::string path = folder.path("it's \"fault\".so");
  std::filesystem::copy_file(fake("fault"), path);
  const std::string text = upstream_report(run({path}), {});
  EXPECT_THAT(text, AllOf(HasSubstr("# ggml_vec_dot_q8_0_q8_0: "), HasSubstr("tail-dropped"), HasSubstr("```c")));
  build(text);
  expect_fault("  out[0]: got ", fake("era_4"));
  EXPECT_THAT(upstream_report(run_fake("era_4"), {}), HasSubstr("No failures"));
}

TEST_F(Upstream, APluginsFunctionNeedsNoSymbol) {
  build(upstream_report(run_fake("bad_old_header"), {}));
  EXPECT_THAT(shell("./repro").out, HasSubstr("  out[0]: got 0, expected "));
}

// One program for each diagnosis in the museum shows its fault: a wrong result, something written that must not be, or
// death.
TEST_F(Upstream, TheProgramsOfTheMuseumShowTheirFaults) {
  const Report all = run({TRITCHECK_BLOCK_MUSEUM});
  std::set<std::string> diagnoses;
  for (const KernelReport& k : all.kernels) {
    if (!k.failure || diagnoses.contains(k.failure->diagnosis)) continue;
    Report one;
    one.targets = all.targets;
    one.kernels = {k};
    const std::string text = upstream_report(one, {});
    if (text.find("```c") == std::string::npos) {
      EXPECT_THAT(text, HasSubstr("No program")) << k.kernel.name;
      continue;
    }
    diagnoses.insert(k.failure->diagnosis);
    build(text);
    const Ran ran = shell("timeout 5 ./repro");
    if (text.find("The program need not show it") != std::string::npos) continue;
    EXPECT_NE(ran.code, 0) << k.kernel.name << "\n" << ran.out;
    EXPECT_NE(ran.code, 3) << k.kernel.name << "\n" << ran.out;
  }
  EXPECT_GT(diagnoses.size(), 25U);
}

TEST_F(Upstream, WhatNoProgramCanShowIsSaid) {
  Report r = run_fake("fault");
  for (KernelReport& k : r.kernels) {
    if (k.failure) k.kernel.name = "q8_0 vec_dot";
  }
  EXPECT_THAT(upstream_report(r, {}), HasSubstr("exports the function under no name"));
  EXPECT_THAT(upstream_report(run_fake("bad_counts"), {}), HasSubstr("need not show it"));
}

// It fails without a case, and the report must come all the same.
TEST_F(Upstream, ALibraryThatDiesWhenItIsLoadedHasNoProgram) {
  const Report r = run_fake("bad_load_crash");
  ASSERT_EQ(r.kernels.size(), 1U);
  const std::string text = upstream_report(r, {});
  EXPECT_THAT(text, AllOf(HasSubstr("cannot be loaded"), HasSubstr("No program; this repeats it: `tritcheck verify")));
}

}  // namespace
}  // namespace tritcheck
