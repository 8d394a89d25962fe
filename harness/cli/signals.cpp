#include "harness/cli/signals.h"

#include <unistd.h>

#include <csignal>

#include "harness/base/error.h"
#include "harness/base/interrupt.h"
#include "harness/base/new_file.h"
#include "harness/targets/target.h"

namespace tritcheck::cli {
namespace {

static_assert(std::atomic<bool>::is_always_lock_free, "the handler may only touch lock-free atomics");

std::atomic<unsigned> g_grace{0};
static_assert(std::atomic<unsigned>::is_always_lock_free);

extern "C" void on_interrupt(int) {
  if (!g_interrupted.exchange(true)) {
    if (const unsigned seconds = g_grace; seconds > 0) alarm(seconds);
    return;
  }
  kill_all_workers();
  remove_unfinished_file();
  _exit(kExitInterrupted);
}

// A mapped file that somebody shortens meanwhile answers the next read with this signal.
extern "C" void on_bus_error(int) {
  constexpr char kText[] = "tritcheck: a file was shortened while it was being read; run again when it is complete\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText, sizeof kText - 1);
  kill_all_workers();
  remove_unfinished_file();
  _exit(kExitBadFile);
}

}  // namespace

void give_up_after(unsigned seconds) {
  g_grace = seconds;
  if (seconds == 0) alarm(0);
}

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    // whoever started us with the signal ignored (nohup, a shell's background job) meant it
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit then fails, and is reported
  std::signal(SIGBUS, on_bus_error);
}

}  // namespace tritcheck::cli
