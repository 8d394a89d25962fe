#include "harness/targets/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/verify/verify.h"

namespace tritcheck {
namespace {

using testing::HasSubstr;

// The exit code and the message that a target text earns.
std::pair<int, std::string> refusal(const std::string& text) {
  try {
    return {kExitPass, resolve_target(text).text};
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return {error.code(), error.what()};
  }
}

bool emulator_and_runner(const std::string& text) {
  return refusal(text).first == kExitPass;
}

TEST(Target, Local) {
  const Target target = resolve_target("local");
  EXPECT_EQ(target.text, "local");
  EXPECT_FALSE(target.emulated);
  EXPECT_THAT(target.command, testing::IsEmpty());
  EXPECT_THAT(target.runner, HasSubstr("/libexec/tritcheck/"));
}

TEST(Target, TextThatMakesNoSenseIsBadUsage) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "a target is one of local, qemu:"},
      {"loca", "a target is one of local, qemu:"},
      {"qemu", "a target is one of local, qemu:"},
      {"qemu:", "no CPU model"},
      {"qemu:x86_64/", "no CPU model"},
      {"qemu:vax/780", "unknown architecture 'vax'; known are aarch64, x86_64"},
      {"qemu:max,sve=off", "unknown option 'sve=off'; known is vl=BITS"},
      {"qemu:x86_64/max,vl=256", "only aarch64 has"},
      {"qemu:max,vl=", "vl= is no SVE vector length"},
      {"qemu:max,vl=100", "vl=100 is no SVE vector length"},
      {"qemu:max,vl=256x", "vl=256x is no SVE vector length"},
      {"qemu:max,vl=4096", "a multiple of 128 from 128 to 2048"},
      {"qemu:max,vl=99999999999999", "is no SVE vector length"},
      {"adb:123", "adb: is not built yet"},
      {"ssh:host", "ssh: is not built yet"},
  };
  for (const auto& [text, message] : cases) {
    const auto [code, what] = refusal(text);
    EXPECT_EQ(code, kExitUsage) << text;
    EXPECT_THAT(what, HasSubstr(message)) << text;
    EXPECT_THAT(what, HasSubstr("'" + std::string(text) + "'"));
  }
}

TEST(Target, VectorLengthsAreThoseOfTheCpu) {
  if (!emulator_and_runner("qemu:max")) GTEST_SKIP() << refusal("qemu:max").second;
  EXPECT_EQ(refusal("qemu:cortex-a53,vl=256").first, kExitUsage);
  EXPECT_THAT(refusal("qemu:cortex-a53,vl=256").second, HasSubstr("cortex-a53 has none; try max"));
  EXPECT_EQ(refusal("qemu:a64fx,vl=1024").first, kExitUsage);
  EXPECT_THAT(refusal("qemu:a64fx,vl=1024").second, HasSubstr("its longest are 512"));
  EXPECT_EQ(refusal("qemu:a64fx,vl=384").first, kExitUsage);
  EXPECT_THAT(resolve_target("qemu:max,vl=384").command, testing::ElementsAre("qemu-aarch64", "-cpu", "max,sve384=on"));
  EXPECT_THAT(resolve_target("qemu:aarch64/max,vl=2048").command,
              testing::ElementsAre("qemu-aarch64", "-cpu", "max,sve2048=on,sve-default-vector-length=-1"));
  EXPECT_EQ(resolve_target("qemu:aarch64/max,vl=2048").text, "qemu:max,vl=2048");
}

TEST(Target, AbsentModelsAreNamed) {
  if (!emulator_and_runner("qemu:x86_64/max")) GTEST_SKIP() << refusal("qemu:x86_64/max").second;
  EXPECT_EQ(refusal("qemu:x86_64/Haswel").first, kExitNoDevice);
  EXPECT_THAT(refusal("qemu:x86_64/Haswel").second, HasSubstr("`qemu-x86_64 -cpu help` lists the models"));
  EXPECT_THAT(refusal("qemu:x86_64/haswell").second, HasSubstr("did you mean Haswell?"));
  EXPECT_EQ(refusal("qemu:cortex-a99").first, kExitNoDevice);
  const Target target = resolve_target("qemu:x86_64/Haswell");
  EXPECT_TRUE(target.emulated);
  EXPECT_EQ(target.arch, "x86_64");
  EXPECT_THAT(target.command, testing::ElementsAre("qemu-x86_64", "-cpu", "Haswell"));
}

TEST(Target, AnAbsentRunnerSaysHowToBuildIt) {
  if (!emulator_and_runner("qemu:max")) GTEST_SKIP() << refusal("qemu:max").second;
  setenv("TRITCHECK_LIBEXEC", "/nonexistent", 1);
  const auto arm = refusal("qemu:max");
  const auto local = refusal("local");
  unsetenv("TRITCHECK_LIBEXEC");
  EXPECT_EQ(arm.first, kExitNoDevice);
  EXPECT_THAT(arm.second, HasSubstr("no runner for aarch64; build it: cmake -DTRITCHECK_CROSS=aarch64"));
  EXPECT_EQ(local.first, kExitNoDevice);
  EXPECT_THAT(local.second, HasSubstr("there is no /nonexistent/"));
}

TEST(Target, KnownTargetsSayWhetherTheyAreReady) {
  const auto hints = known_targets();
  ASSERT_FALSE(hints.empty());
  for (const TargetHint& hint : hints) {
    EXPECT_EQ(hint.note == "ready", refusal(hint.text).first == kExitPass) << hint.text;
    EXPECT_NE(hint.note, "");
  }
  EXPECT_EQ(hints.front().text, "local");
  EXPECT_EQ(hints.front().note, "ready");
}

}  // namespace
}  // namespace tritcheck
