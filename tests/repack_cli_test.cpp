// `tritcheck repack` as a user runs it: what it prints and where, its exit codes, and what signals leave behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "harness/verify/verify.h"
#include "reference/sha256.h"
#include "tests/repack_cases.h"
#include "tests/shell.h"

namespace tritcheck {
namespace {

using ::testing::AllOf;
using testing::contents;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::kProgram;
using ::testing::Not;
using testing::Ran;
using ::testing::StartsWith;

const std::string kModel = TRITCHECK_SOURCE_DIR "/corpora/models/paris-b-i2_s.x86_128.gguf";
const std::string kLayouts = " --from x86_128 --layout arm_64 ";

class RepackCli : public testing::RepackFolder {
 protected:
  // A line of shell; "$P" is the program, "$M" a model. What it prints lies in another folder than its files.
  Ran shell(const std::string& command) const {
    const testing::TempFolder prints;
    return testing::shell_in(path(""), "P='" + kProgram + "' M='" + kModel + "'; " + command, prints.path());
  }

  // One line on standard error that holds `hint`, nothing on standard output, this exit code, no new file.
  void expect_refused(const std::string& args, int code, const std::string& hint) const {
    const auto before = names();
    testing::expect_one_line(shell("\"$P\" repack " + args), args, code, hint);
    EXPECT_EQ(names(), before) << args;
  }

  // A sparse model whose repacking takes seconds, and the signals it gets as soon as its temporary is there. They are
  // sent while it is stopped, so it sees all of them before it does anything else.
  Ran signalled(const std::string& what) const {
    testing::GgufWriter head;
    head.header(1, 0).info("w", {4096, 1 << 18}, testing::kTensorI2s, 0).pad();
    write("big.gguf", {head.bytes().begin(), head.bytes().end()});
    std::filesystem::resize_file(path("big.gguf"), head.size() + (1 << 28) + 32);
    return shell("\"$P\" repack big.gguf out.gguf" + kLayouts +
                 "& pid=$!\n"
                 "for i in $(seq 1000); do ls -A | grep -q unfinished && break; sleep 0.01; done\n"
                 "kill -STOP $pid; " +
                 what +
                 "; ls -A | grep -c unfinished\n"
                 "kill -CONT $pid; wait $pid");
  }
};

TEST_F(RepackCli, SaysWhatItDidAndWhatToDoNext) {
  const Ran r = shell("umask 027; \"$P\" repack \"$M\" 'my model.gguf'" + kLayouts);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  const std::string hash = sha256_hex(testing::bytes_of(contents(path("my model.gguf"))));
  EXPECT_EQ(r.out, "repacked 28 I2_S tensors of " + kModel +
                       ", 147456 bytes of codes, from x86_128 to arm_64; my model.gguf: 304896 bytes, sha256 " + hash +
                       "\nnext: " + kProgram + " verify --model 'my model.gguf' --layout arm_64\n");
  EXPECT_EQ(std::filesystem::status(path("my model.gguf")).permissions(), std::filesystem::perms(0640));
  const Ran dry = shell("\"$P\" repack \"$M\" other.gguf --dry-run" + kLayouts);
  EXPECT_EQ(dry.code, 0);
  EXPECT_THAT(dry.out, StartsWith("would repack 28 I2_S tensors"));
  EXPECT_THAT(names(), ElementsAre("my model.gguf"));
  const Ran again = shell("\"$P\" repack \"$M\" 'my model.gguf' --overwrite --from x86_128 --layout linear");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(names(), ElementsAre("my model.gguf"));
}

TEST_F(RepackCli, TheNextCommandWorks) {
  const Ran r = shell("\"$P\" repack \"$M\" \"it's.gguf\"" + kLayouts);
  const size_t at = r.out.find("next: ");
  ASSERT_NE(at, std::string::npos) << r.out << r.err;
  const Ran next = shell(r.out.substr(at + 6, r.out.size() - at - 7) + " --quick --kernel i2_s_arm_64_dot_scalar");
  EXPECT_EQ(next.code, 0) << next.err;
  EXPECT_THAT(next.out, HasSubstr("1 kernel passed"));
}

TEST_F(RepackCli, ErrorsAreOneLine) {
  write("taken.gguf", "precious");
  expect_refused("", kExitUsage, "is required");
  expect_refused("\"$M\"", kExitUsage, "OUT is required");
  expect_refused("\"$M\" o.gguf --from x86_128", kExitUsage, "--layout is required");
  expect_refused("\"$M\" o.gguf --layout arm", kExitUsage, "'arm' is not x86_128, arm_64");
  expect_refused("\"$M\" o.gguf --layout arm_64 --overwite", kExitUsage, "did you mean --overwrite");
  expect_refused("\"$M\" o.gguf --layout arm_64 --from x86_128 more", kExitUsage, "unknown argument 'more'");
  expect_refused("\"$M\" ''" + kLayouts, kExitUsage, "OUT is empty");
  expect_refused("\"$M\" taken.gguf" + kLayouts, kExitUsage, "--overwrite");
  expect_refused("\"$M\" no/o.gguf" + kLayouts, kExitBadFile, "no folder 'no'");
  expect_refused("absent.gguf o.gguf" + kLayouts, kExitBadFile, "absent.gguf: cannot open it");
  expect_refused("taken.gguf o.gguf" + kLayouts, kExitBadFile, "taken.gguf: ");
  EXPECT_EQ(contents(path("taken.gguf")), "precious");
}

TEST_F(RepackCli, AFullDiskIsOneLineAndLeavesNothing) {
  // a limit of the shell instead: half of the file fits
  const Ran r = shell("ulimit -f 300; \"$P\" repack \"$M\" o.gguf" + kLayouts);
  EXPECT_EQ(r.code, kExitBadFile);
  EXPECT_EQ(r.err,
            "tritcheck: o.gguf: cannot write it: File too large; raise the limit (ulimit -f), or name a file on "
            "another disk\n");
  EXPECT_THAT(names(), ElementsAre());
}

TEST_F(RepackCli, ASignalLeavesNothing) {
  const Ran r = signalled("kill -TERM $pid");
  EXPECT_EQ(r.code, kExitInterrupted);
  EXPECT_EQ(r.out, "1\n");
  EXPECT_EQ(r.err, "tritcheck: out.gguf: interrupted, nothing was written\n");
  EXPECT_THAT(names(), ElementsAre("big.gguf"));
}

TEST_F(RepackCli, ASecondSignalLeavesNothingEither) {
  const Ran r = signalled("kill -TERM $pid; kill -HUP $pid");
  EXPECT_EQ(r.code, kExitInterrupted);
  EXPECT_EQ(r.out, "1\n");
  EXPECT_EQ(r.err, "");  // ended on the spot
  EXPECT_THAT(names(), ElementsAre("big.gguf"));
}

TEST_F(RepackCli, AnInputCutMeanwhileLeavesNothing) {
  const Ran r = signalled(": >big.gguf");
  EXPECT_EQ(r.code, kExitBadFile);
  EXPECT_EQ(r.out, "1\n");
  EXPECT_THAT(r.err, HasSubstr("was shortened while it was being read"));
  EXPECT_THAT(names(), ElementsAre("big.gguf"));
}

TEST_F(RepackCli, ATerminalSeesProgress) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(child, 0);
  if (child == 0) {
    setenv("TERM", "xterm", 1);
    const std::string out = path("out.gguf");
    execl(kProgram.c_str(), "tritcheck", "repack", kModel.c_str(), out.c_str(), "--from", "x86_128", "--layout",
          "linear", nullptr);
    _exit(99);
  }
  std::string seen;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(terminal, buffer, sizeof buffer)) > 0;) seen.append(buffer, static_cast<size_t>(n));
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(seen, AllOf(HasSubstr("writing: 0.1 of 0.3 MB"), HasSubstr("\r\033[Krepacked 28 I2_S tensors")));
  const Ran piped = shell("TERM=xterm \"$P\" repack \"$M\" piped.gguf" + kLayouts);
  EXPECT_EQ(piped.err, "");
  EXPECT_THAT(piped.out, Not(HasSubstr("writing")));
}

}  // namespace
}  // namespace tritcheck
