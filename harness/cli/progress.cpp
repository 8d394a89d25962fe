#include "harness/cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "harness/report/console.h"

namespace tritcheck::cli {

ProgressLine::ProgressLine() {
  const char* term = std::getenv("TERM");
  terminal_ = isatty(STDERR_FILENO) == 1 && term != nullptr && std::strcmp(term, "dumb") != 0;
}

Progress ProgressLine::callbacks() {
  if (!terminal_) return {};
  Progress progress;
  progress.tick = [this](int64_t done, int64_t total, const std::string& now) {
    if (!now.empty()) now_ = now;
    const auto time = std::chrono::steady_clock::now();
    if (drawn_ && time - last_ < std::chrono::milliseconds(50)) return;
    last_ = time;
    draw(done, total);
  };
  progress.kernel_done = [this](const KernelReport& k) {
    if (k.verdict != Verdict::pass && k.verdict != Verdict::skipped) ++failed_;
  };
  return progress;
}

void ProgressLine::draw(int64_t done, int64_t total) {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  std::string line = fmt::format("{}/{} kernels", done, total);
  if (failed_ > 0) line += fmt::format(", {} failed", failed_);
  if (g_interrupted) {
    line += ", stopping (once more to stop at once)";
  } else if (done < total) {
    line += ": " + printable(now_);
  }
  line = fitted(line, known ? size.ws_col - 1U : 79U);
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressLine::clear() {
  if (!drawn_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace tritcheck::cli
