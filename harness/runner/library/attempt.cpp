#include "harness/runner/library/attempt.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "harness/runner/channel.h"

namespace tritcheck {

Attempt attempt(const std::function<void(const Tell&)>& question) {
  constexpr int kLimitMs = 5000;
  constexpr int kEnded = 99;
  int ends[2];
  if (pipe(ends) != 0) fail("no pipe for a question to the library");
  const pid_t child = fork();
  if (child < 0) fail("no process for a question to the library");
  if (child == 0) {
    close(ends[0]);
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP}) ::signal(signal, SIG_DFL);
    // a library that ends the process has not answered
    std::atexit([] { _exit(kEnded); });
    question([&](std::span<const std::byte> bytes) {
      if (write(ends[1], bytes.data(), bytes.size()) < 0) _exit(1);
    });
    _exit(0);
  }
  close(ends[1]);
  Attempt out;
  std::byte buffer[4096];
  while (true) {
    pollfd ready{.fd = ends[0], .events = POLLIN, .revents = 0};
    const int polled = poll(&ready, 1, kLimitMs);
    if (polled < 0) continue;
    const ssize_t got = polled == 0 ? -1 : read(ends[0], buffer, sizeof buffer);
    if (got < 0) {
      out.died = "no answer for 5 s";
      kill(child, SIGKILL);
    }
    if (got <= 0) break;
    out.told.insert(out.told.end(), buffer, buffer + got);
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (out.died.empty() && WIFSIGNALED(status)) out.died = strsignal(WTERMSIG(status));
  if (out.died.empty() && WIFEXITED(status) && WEXITSTATUS(status) != 0) {
    out.died =
        WEXITSTATUS(status) == kEnded ? "it ends the process" : "exit code " + std::to_string(WEXITSTATUS(status));
  }
  return out;
}

bool readable(const void* at, size_t bytes) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const auto* from = static_cast<const char*>(at);
  bool all = true;
  for (size_t done = 0; done < bytes && all; done += 512) {
    const size_t now = bytes - done < 512 ? bytes - done : 512;
    char taken[512];
    // not through the C library, where a sanitizer would look at the bytes first
    all = syscall(SYS_write, ends[1], from + done, now) == static_cast<long>(now) &&
          read(ends[0], taken, now) == static_cast<ssize_t>(now);
  }
  close(ends[0]);
  close(ends[1]);
  return all;
}

size_t readable_from(const void* at, size_t most) {
  constexpr size_t kPage = 4096;  // the smallest of any Linux; larger pages are multiples
  const auto* from = static_cast<const char*>(at);
  size_t there = 0;
  while (there < most && readable(from + there, 1)) there += kPage - reinterpret_cast<uintptr_t>(from + there) % kPage;
  return there < most ? there : most;
}

}  // namespace tritcheck
