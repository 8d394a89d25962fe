// The program as a user runs it: what it prints, where, and with which exit code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/verify/verify.h"
#include "tests/shell.h"

namespace tritcheck {
namespace {

using ::testing::AllOf;
using testing::contents;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::kProgram;
using ::testing::Not;
using testing::Ran;
using ::testing::StartsWith;

class Cli : public ::testing::Test {
 protected:
  Ran shell(const std::string& command) const { return testing::shell_in(dir_, command, dir_); }
  Ran tritcheck(const std::string& args) const { return shell("'" + kProgram + "' " + args); }

  void expect_refused(const std::string& args, int code, const std::string& hint) const {
    testing::expect_one_line(tritcheck(args), args, code, hint);
  }

  testing::TempFolder folder_;
  const std::filesystem::path dir_ = folder_.path();
};

TEST_F(Cli, BadUsageIsOneLineThatSaysWhatToDo) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "`tritcheck verify`"},
      {"verfy", "did you mean verify"},
      {"verify --sed 1", "did you mean --seed"},
      {"verify --seed=1 --qick", "did you mean --quick"},
      {"verify --seed", "--seed needs a value"},
      {"verify --lib a.so --force", "--lib and --force exclude each other"},
      {"verify --lib a.so --isa avx2", "--lib and --isa exclude each other"},
      {"verify --compare a.so", "--compare needs two values"},
      {"verify --seed 1 --seed 2", "--seed was given more than once"},
      {"verify --seed -1", "a whole number from 0 to 18446744073709551615"},
      {"verify --seed 0x10", "--seed: '0x10' is not"},
      {"verify --seed 18446744073709551616", "--seed"},
      {"verify --jobs 0", "from 1 to 256"},
      {"verify --timeout nan", "seconds from 0.001 to 3600"},
      {"verify --timeout 0", "seconds from 0.001 to 3600"},
      {"verify --layout x86_64", "x86_128, arm_64, rows_1x4 or linear"},
      {"verify --isa avx3", "avx2"},
      {"verify --report xml", "text, json, junit or upstream"},
      {"verify --color sometimes", "auto, always or never"},
      {"verify --quick --thorough", "give one"},
      {"verify i2_s_x86_128_dot_scalr", "i2_s_x86_128_dot_scalar"},
      {"verify avx3", "i2_s_x86_128_dot_avx2"},
      {"verify '*nothing*'", "tritcheck list kernels"},
      {"verify --kernel i2_s_x86_128_dot", "tritcheck list kernels"},
      {"verify --bugs bug_no_such_thing_at_all", "tritcheck list bugs"},
      {"verify --family F99", "tritcheck list probes"},
      {"verify --without F99", "tritcheck list probes"},
      {"verify --device nowhere:x", "local"},
      {"replay", "CASE"},
      {"replay nonsense", "i2_s"},
      {"list", "kernels, probes, targets, bugs"},
      {"list kernel", "kernels"},
      {"explain no-such-diagnosis", "no-such-diagnosis"},
      {"matrix --device local --device local", "give --device once"},
      {"list bugs --isa avx2", "list kernels"},
      {"list probes --device qemu:max", "list kernels"},
      {"verify --model m.gguf --without F2", "--without F2"},
      {"verify --model m.gguf --output ./m.gguf", "names the model file itself"},
      {"paris m.gguf --output ./m.gguf", "names the model file itself"},
      {"inspect", "FILE"},
      {"inspect x --report junit", "text or json"},
  };
  std::ofstream(dir_ / "m.gguf") << "a model";
  for (const auto& [args, hint] : cases) expect_refused(args, kExitUsage, hint);
  EXPECT_EQ(contents(dir_ / "m.gguf"), "a model");
}

TEST_F(Cli, AnUnknownIsaInTheEnvironmentIsBadUsage) {
  const Ran r = shell("TRITCHECK_ISA=avx9 '" + kProgram + "' verify --quick");
  EXPECT_EQ(r.code, kExitUsage);
  EXPECT_THAT(r.err, AllOf(HasSubstr("TRITCHECK_ISA"), HasSubstr("avx2")));
}

TEST_F(Cli, BadFilesAndAbsentDevicesHaveTheirOwnCodes) {
  std::ofstream(dir_ / "empty.gguf").flush();
  std::ofstream(dir_ / "junk.gguf") << "this is not a model";
  expect_refused("inspect missing.gguf", kExitBadFile, "missing.gguf");
  expect_refused("inspect empty.gguf", kExitBadFile, "empty.gguf");
  expect_refused("inspect junk.gguf", kExitBadFile, "junk.gguf");
  expect_refused("verify --quick --model missing.gguf", kExitBadFile, "missing.gguf");
  expect_refused("verify --quick --model empty.gguf", kExitBadFile, "empty.gguf");
  expect_refused("verify --quick --output no/such/folder/report", kExitBadFile, "no/such/folder/report");
  expect_refused("verify --device qemu:no-such-cpu", kExitNoDevice, "no-such-cpu");
}

TEST_F(Cli, ControlCharactersInArgumentsDoNotReachTheTerminal) {
  const Ran r = tritcheck("verify \"$(printf 'a\\033[2J\\nb')\"");
  EXPECT_EQ(r.code, kExitUsage);
  EXPECT_THAT(r.err, AllOf(Not(HasSubstr("\033")), HasSubstr("\\x1b")));
  EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
}

TEST_F(Cli, ARightKernelPasses) {
  const Ran r = tritcheck("verify --kernel i2_s_x86_128_dot_scalar --quick --seed 7");
  EXPECT_EQ(r.code, kExitPass) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_THAT(r.out, AllOf(HasSubstr("level quick, seed 7"), HasSubstr("1 kernel passed, 0 failed, 0 skipped in")));
  EXPECT_THAT(r.out, Not(HasSubstr("\033")));
}

TEST_F(Cli, ColourFollowsTheOption) {
  const std::string args = "verify --kernel i2_s_x86_128_dot_scalar --quick --family F1 --color ";
  EXPECT_THAT(tritcheck(args + "always").out, HasSubstr("\033[32mpass"));
  EXPECT_THAT(tritcheck(args + "auto").out, Not(HasSubstr("\033")));
  EXPECT_THAT(shell("NO_COLOR=1 '" + kProgram + "' " + args + "auto").out, Not(HasSubstr("\033")));
}

TEST_F(Cli, VerifyIsTheSecondName) {
  const Ran r = shell("'" TRITCHECK_BINARY_DIR "/bin/verify' --kernel i2_s_x86_128_dot_scalar --quick --family F1");
  EXPECT_EQ(r.code, kExitPass) << r.err;
  EXPECT_THAT(r.out, HasSubstr("1 kernel passed"));
}

TEST_F(Cli, ABrokenKernelIsWrongAndItsReproLineSaysSoAgain) {
  const Ran r = tritcheck("verify --bugs bug_empty_body --quick");
  EXPECT_EQ(r.code, kExitWrong) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("caught and named"), HasSubstr("museum: 1 bug caught and named, 0 misnamed")));
  const std::string mark = "  repro: ";
  const size_t at = r.out.find(mark);
  ASSERT_NE(at, std::string::npos) << r.out;
  const std::string repro = r.out.substr(at + mark.size(), r.out.find('\n', at) - at - mark.size());
  const Ran again = shell(repro);
  EXPECT_EQ(again.code, kExitWrong) << repro << "\n" << again.err;
  EXPECT_THAT(again.out, HasSubstr("unwritten"));
}

TEST_F(Cli, AHungKernelHasItsOwnCode) {
  const Ran r = tritcheck("verify --bugs bug_hang_odd_block --quick --timeout 0.2");
  EXPECT_EQ(r.code, kExitCrash) << r.err;
  EXPECT_THAT(r.out, HasSubstr("caught and named"));
}

TEST_F(Cli, WhenNothingRanThatIsAFailure) {
  const Ran r = tritcheck("verify --kernel i2_s_x86_128_dot_ssse3 --isa scalar --quick");
  EXPECT_EQ(r.code, kExitNothingRan) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("1 kernel skipped: "), HasSubstr("nothing ran: 0 kernels passed")));
}

TEST_F(Cli, JsonAndJUnitComeAloneOrInAFile) {
  const std::string run = "verify --kernel i2_s_x86_128_dot_scalar --quick --family F1 ";
  const auto json = nlohmann::json::parse(tritcheck(run + "--report json").out);
  EXPECT_EQ(json["summary"]["passed"], 1);
  EXPECT_EQ(json["exit_code"], 0);

  std::ofstream(dir_ / "report.xml") << std::string(100000, 'x');
  const Ran r = tritcheck(run + "--report junit --output report.xml");
  EXPECT_THAT(r.out, HasSubstr("1 kernel passed"));
  EXPECT_THAT(contents(dir_ / "report.xml"),
              AllOf(StartsWith("<?xml"), EndsWith("</testsuites>\n"), Not(HasSubstr("xxx"))));
}

TEST_F(Cli, AReaderThatGoesAwayAndAFullDisk) {
  const Ran gone = shell("{ '" + kProgram + "' list bugs; echo $? >code; } | true; cat code");
  EXPECT_EQ(gone.out, "0\n");
  EXPECT_EQ(gone.err, "");
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const Ran full = shell("'" + kProgram + "' list bugs >/dev/full");
  EXPECT_EQ(full.code, kExitBadFile);
  EXPECT_THAT(full.err, HasSubstr("cannot write to standard output"));
}

TEST_F(Cli, HelpVersionListsAndExplanations) {
  for (const char* args : {"--help", "verify --help", "matrix --help", "--version", "list kernels", "list probes",
                           "list targets", "list bugs", "explain", "explain int16-overflow"}) {
    const Ran r = tritcheck(args);
    EXPECT_EQ(r.code, 0) << args << r.err;
    EXPECT_EQ(r.err, "") << args;
    EXPECT_GT(r.out.size(), 80U) << args;
    EXPECT_THAT(r.out, Not(HasSubstr("\033"))) << args;
  }
  EXPECT_THAT(tritcheck("--version").out, AllOf(HasSubstr("tritcheck 0."), HasSubstr("report schema 1")));
}

TEST_F(Cli, TheKernelPageIsCurrent) {
  EXPECT_EQ(tritcheck("list kernels --markdown").out, contents(TRITCHECK_SOURCE_DIR "/docs/kernels.md"))
      << "run: tritcheck list kernels --markdown > docs/kernels.md";
}

TEST_F(Cli, CtrlCKeepsWhatIsDone) {
  const auto start = std::chrono::steady_clock::now();
  const Ran r = shell("'" + kProgram + "' verify --thorough --jobs 1 & pid=$!; sleep 1; kill -TERM $pid; wait $pid");
  EXPECT_EQ(r.code, kExitInterrupted) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("interrupted, partial result: "), HasSubstr("skipped: interrupted")));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

// One that waits may take its whole limit, ten minutes here, but not once somebody has asked for the end.
TEST_F(Cli, CtrlCDoesNotWaitForAKernelThatWaits) {
  const auto start = std::chrono::steady_clock::now();
  const Ran r = shell("'" + kProgram +
                      "' verify --timeout 60 --lib " TRITCHECK_BINARY_DIR
                      "/fakes/bad_sleeps.so & pid=$!; sleep 2; kill -TERM $pid; wait $pid");
  EXPECT_EQ(r.code, kExitInterrupted) << r.err;
  EXPECT_THAT(r.out, HasSubstr("interrupted, partial result: "));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST_F(Cli, WhatWouldBeIgnoredIsRefused) {
  for (const char* line :
       {"verify --model ''", "verify --bugs ''", "verify --bugs bug_empty_body --kernel i2_s_x86_128_dot_scalar",
        "verify --bugs all avx2", "verify --layout arm_64", "verify --model f.gguf --family F1"}) {
    const Ran r = tritcheck(line);
    EXPECT_EQ(r.code, kExitUsage) << line << "\n" << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << line << "\n" << r.err;
  }
}

}  // namespace
}  // namespace tritcheck
