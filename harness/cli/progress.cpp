#include "harness/cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "engine/threads.h"
#include "harness/base/console.h"
#include "harness/base/error.h"
#include "harness/base/run_report.h"

namespace tritcheck::cli {

StatusLine::StatusLine() {
  const char* term = std::getenv("TERM");
  terminal_ = isatty(STDERR_FILENO) == 1 && term != nullptr && std::strcmp(term, "dumb") != 0;
}

bool StatusLine::due() {
  const auto time = std::chrono::steady_clock::now();
  if (!terminal_ || (drawn_ && time - last_ < std::chrono::milliseconds(50))) return false;
  last_ = time;
  return true;
}

void StatusLine::draw(std::string text) {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  text = fitted(text, known ? size.ws_col - 1U : 79U);
  fmt::print(stderr, "\r\033[K{}", text);
  std::fflush(stderr);
  drawn_ = true;
}

void StatusLine::clear() {
  if (!drawn_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  drawn_ = false;
}

Progress ProgressLine::callbacks() {
  if (!line_.visible()) return {};
  Progress progress;
  progress.tick = [this](int64_t done, int64_t total, const std::string& now) {
    if (!now.empty()) now_ = now;
    done_ = done;
    total_ = total;
    draw();
  };
  progress.work = [this](double done, double total) {
    share_ = done / total;
    draw();
  };
  progress.kernel_done = [this](const KernelReport& k) {
    if (k.verdict != Verdict::pass && k.verdict != Verdict::skipped) ++failed_;
  };
  return progress;
}

void ProgressLine::draw() {
  if (!line_.due()) return;
  std::string text = total_ > 0 ? fmt::format("{}/{} {}", done_, total_, what_) : what_;
  if (failed_ > 0) text += fmt::format(", {} failed", failed_);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  text += time_left(elapsed.count(), share_);
  if (g_interrupted) {
    text += ", stopping (once more to stop at once)";
  } else if (done_ < total_) {
    text += ": " + printable(now_);
  }
  line_.draw(text);
}

LayoutAnswer score_layouts_visibly(const std::string& path, const gguf::File& file,
                                   const std::vector<std::string>& texts) {
  ProgressLine line("reading the weights in four layouts");
  const Progress progress = line.callbacks();
  GoldenWork work(progress);
  try {
    return score_layouts(path, file, texts, engine::one_per_core(), &work);
  } catch (const GoldenInterrupted&) {
    throw UserError(kExitInterrupted, "interrupted before the layout was known");
  }
}

RepackProgress RepackProgressLine::callback() {
  if (!line_.visible()) return {};
  return [this](std::string_view step, uint64_t done, uint64_t total) {
    // the steps behind the last byte are few, and each may take long
    if (!line_.due() && done < total) return;
    line_.draw(fmt::format("{}: {:.1f} of {:.1f} MB", step, static_cast<double>(done) / 1e6,
                           static_cast<double>(total) / 1e6));
  };
}

}  // namespace tritcheck::cli
