// Worker processes that end without a report, damage their answers, refuse requests, or lose the harness.
#include "harness/targets/worker.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "harness/protocol/wire.h"
#include "harness/targets/session.h"
#include "tests/session_requests.h"

namespace tritcheck {
namespace {

// A worker whose memory a kernel has ruined: a real hello, and then what `script` does.
CallResult call_ruined(const std::string& script, int wall_limit_factor = 10) {
  Target target = resolve_target("local");
  const std::string path = testing::TempDir() + "ruined-runner-" + std::to_string(getpid());
  std::ofstream(path) << "#!/bin/sh\n" << target.runner << " </dev/null\n" << script << '\n';
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  target.runner = path;
  const auto session = open_session(target, {.isa = {}, .wall_limit_factor = wall_limit_factor});
  auto request = dot_request(*session, kGood, 256);
  request.cpu_limit_ms = 100;
  const std::vector<CallRequest> requests(3, request);
  const auto results = session->run(requests);
  std::filesystem::remove(path);
  EXPECT_EQ(results.size(), 3U);
  return results.at(1);
}

TEST(Worker, DamagedAnswersAreLostCalls) {
  const char* damaged = "the worker's answer is damaged: the kernel wrote over its memory";
  for (
      const std::string answer :
      {"printf 'this is not the beginning of any frame'; cat >/dev/null",                                    // no magic
       "printf 'TCK1\\003\\000\\000\\000\\001\\000\\000\\000\\000\\000\\000\\000xxxxxxxx'; cat >/dev/null",  // a wrong
                                                                                                             // checksum
       "printf 'TCK1\\003\\000\\000\\000\\001\\000\\000\\000\\377\\377\\377\\377xxxxxxxx'; cat >/dev/null"}) {  // too
                                                                                                                // long
    const auto result = call_ruined(answer);
    EXPECT_EQ(result.status, CallStatus::lost) << answer;
    EXPECT_EQ(result.note, damaged) << answer;
  }
}

TEST(Worker, WorkersThatEndWithoutAReportAreLostCalls) {
  EXPECT_EQ(call_ruined("exit 7").note, "the kernel ended the process (exit code 7)");
  EXPECT_EQ(call_ruined("sleep 1; echo 'ERROR: found by a sanitizer' >&2; exit 1").note,
            "the worker gave up: ERROR: found by a sanitizer");
  EXPECT_EQ(call_ruined("kill -KILL $$").note, "the worker was killed (SIGKILL): out of memory?");
  EXPECT_EQ(call_ruined("exec <&- >&-; sleep 60").note, "the kernel closed the worker's descriptors");
  const auto bus = call_ruined("kill -BUS $$");
  EXPECT_EQ(bus.status, CallStatus::crashed);
  EXPECT_EQ(bus.signal, SIGBUS);
}

TEST(Worker, WorkersThatNeverAnswerAreTimedOut) {
  const auto result = call_ruined("trap '' TERM; while :; do sleep 60; done", 2);
  EXPECT_EQ(result.status, CallStatus::timed_out);
  EXPECT_TRUE(result.note.starts_with("no answer for ")) << result.note;
}

TEST(Runner, RefusesWhatIsNoRequest) {
  const std::string runner = resolve_target("local").runner;
  const std::string protocol = "the input is not a request of protocol " + std::to_string(wire::kSchema);
  const std::pair<const char*, std::string> cases[] = {
      {"printf 'GET / HTTP/1.1\\r\\nHost: here\\r\\n\\r\\n' | ", protocol},
      {"printf 'TCK1' | ", "the input ends inside a request"},
      {"printf 'TCK1\\002\\000\\000\\000\\001\\000\\000\\000\\000\\000\\000\\000xxxxxxxx' | ", "a request is damaged"}};
  for (const auto& [input, message] : cases) {
    FILE* pipe = popen((input + runner + " 2>&1 >/dev/null; echo $?").c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    char text[512] = {};
    const size_t n = fread(text, 1, sizeof text - 1, pipe);
    pclose(pipe);
    EXPECT_NE(std::string(text, n).find(message), std::string::npos) << text;
    EXPECT_TRUE(std::string(text, n).ends_with("\n64\n")) << text;
  }
}

// The harness may die at any time, even by SIGKILL; a hanging kernel must not outlive it.
TEST(Runner, DiesWithTheHarness) {
  const std::string runner = resolve_target("local").runner;
  int in[2];  // its writing end stays open here: the end of the input is not what ends the runner
  int out[2];
  ASSERT_EQ(pipe(in), 0);
  ASSERT_EQ(pipe(out), 0);
  const pid_t harness = fork();
  if (harness == 0) {
    const pid_t worker = fork();
    if (worker == 0) {
      dup2(in[0], 0);
      dup2(out[1], 1);
      execl(runner.c_str(), runner.c_str(), nullptr);
      _exit(1);
    }
    pause();
  }
  close(out[1]);
  char first = 0;
  ASSERT_EQ(read(out[0], &first, 1), 1);  // it is up: its hello begins
  kill(harness, SIGKILL);
  waitpid(harness, nullptr, 0);
  char rest[4096];
  ssize_t got = 0;
  while ((got = read(out[0], rest, sizeof rest)) > 0) {
  }
  EXPECT_EQ(got, 0);  // its end of the pipe is closed
  for (const int fd : {in[0], in[1], out[0]}) close(fd);
}

}  // namespace
}  // namespace tritcheck
