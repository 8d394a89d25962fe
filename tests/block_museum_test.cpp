// The museum of broken functions on ggml's blocks through `verify --lib`: every mistake caught and rightly named, every
// right function beside them passed, whatever the seed and at every level.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "harness/report/report.h"
#include "harness/targets/target.h"
#include "harness/verify/verify.h"

namespace tritcheck {
namespace {

Report run(Level level, uint64_t seed, const std::string& museum = TRITCHECK_BLOCK_MUSEUM,
           const std::string& device = "local") {
  VerifyOptions o;
  o.level = level;
  o.seed = seed;
  o.libs = {museum};
  o.devices = {device};
  return verify(o);
}

// What is wrong with a report on the museum, a line each.
std::vector<std::string> complaints(const Report& report) {
  std::vector<std::string> out;
  int bugs = 0;
  int right = 0;
  for (const KernelReport& k : report.kernels) {
    const std::string& name = k.kernel.name;
    if (k.verdict == Verdict::skipped) {
      if (k.kernel.needs.empty()) out.push_back(name + " did not run: " + k.reason);
      continue;
    }
    if (!k.kernel.is_bug) {
      ++right;
      if (k.verdict != Verdict::pass) {
        out.push_back(name + " is right, and was called " + (k.failure ? k.failure->diagnosis : "wrong"));
      }
      continue;
    }
    ++bugs;
    if (k.verdict == Verdict::pass) {
      out.push_back(name + " was missed; it is " + k.kernel.diagnosis);
    } else if (!k.failure || k.failure->diagnosis != k.kernel.diagnosis) {
      out.push_back(name + " is " + k.kernel.diagnosis + ", and was called " +
                    (k.failure ? k.failure->diagnosis + ": " + k.failure->sentence : "nothing"));
    } else if (k.failure->case_text.empty() || k.failure->repro.find("--lib") == std::string::npos) {
      out.push_back(name + ": no line that repeats it");
    }
  }
  if (bugs < 90) out.push_back("only " + std::to_string(bugs) + " mistakes ran");
  if (right < 25) out.push_back("only " + std::to_string(right) + " right functions ran");
  return out;
}

const std::vector<std::string> kNone;

// The default level and the first seed are `tritcheck selfcheck`, which ci/test runs; ci/soak runs many seeds.
TEST(BlockMuseum, AQuickRunNamesThemToo) {
  Report report = run(Level::quick, 2);
  EXPECT_EQ(complaints(report), kNone);
  EXPECT_NE(summary_line(report).find(" bugs caught and named, 0 misnamed, 0 missed, "), std::string::npos)
      << summary_line(report);
  EXPECT_NE(summary_line(report).find("; beside it "), std::string::npos) << summary_line(report);
  EXPECT_EQ(exit_code(report), kExitCrash);

  // this test can fail: a wrong name, a miss, a false alarm, a function that did not run
  size_t bug = 0;
  size_t right = 0;
  while (!report.kernels[bug].kernel.is_bug) ++bug;
  while (report.kernels[right].kernel.is_bug) ++right;
  Report other = report;
  other.kernels[bug].failure->diagnosis = "unknown";
  EXPECT_EQ(complaints(other).size(), 1U);
  EXPECT_NE(summary_line(other).find(", 1 misnamed, 0 missed, "), std::string::npos) << summary_line(other);
  other = report;
  other.kernels[bug].verdict = Verdict::pass;
  EXPECT_EQ(complaints(other).size(), 1U);
  EXPECT_NE(summary_line(other).find(", 0 misnamed, 1 missed, "), std::string::npos) << summary_line(other);
  other = report;
  other.kernels[right].verdict = Verdict::mismatch;
  EXPECT_EQ(complaints(other).size(), 1U);
  EXPECT_NE(summary_line(other).find(" passed, 1 failed, "), std::string::npos) << summary_line(other);
  other = report;
  other.kernels[right].verdict = Verdict::skipped;
  EXPECT_EQ(complaints(other).size(), 1U);
}

TEST(BlockMuseum, TheSameNamesOnAnEmulatedArm) {
  // beside the museum of this machine, if runners for others were built
  const std::filesystem::path here = TRITCHECK_BLOCK_MUSEUM;
  const std::filesystem::path arm = here.parent_path().parent_path() / "aarch64" / here.filename();
  if (!std::filesystem::exists(arm)) GTEST_SKIP() << "no museum for aarch64 was built";
  try {
    resolve_target("qemu:max", Runner::libraries);
  } catch (const UserError& e) {
    GTEST_SKIP() << e.what();
  }
  EXPECT_EQ(complaints(run(Level::quick, 1, arm, "qemu:max")), kNone);
}

}  // namespace
}  // namespace tritcheck
