#include "harness/cli/signals.h"

#include <unistd.h>

#include <csignal>

#include "harness/target.h"
#include "harness/verify.h"

namespace tritcheck::cli {
namespace {

static_assert(std::atomic<bool>::is_always_lock_free, "the handler may only touch lock-free atomics");

extern "C" void on_interrupt(int) {
  if (!g_interrupted.exchange(true)) return;
  kill_all_workers();
  _exit(kExitInterrupted);
}

}  // namespace

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
}

}  // namespace tritcheck::cli
