#include "harness/runner/watch.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "harness/runner/channel.h"

namespace tritcheck {
namespace {

constexpr int kTickMs = 10;
constexpr size_t kStackBytes = size_t{1} << 17;
constexpr uintptr_t kFirstPage = 4096;

struct Watch {
  volatile sig_atomic_t active = 0;
  volatile sig_atomic_t ticks = 0;
  int limit_ticks = 0;
  uint32_t sequence = 0;
  Run run = Run::a;
  Regions regions;
};
Watch g_watch;

#if defined(__x86_64__)
uintptr_t program_counter(const ucontext_t& context) {
  return static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
}
// Bit 1 of the page fault's error code (Intel SDM vol. 3, 4.7).
bool was_write(const ucontext_t& context) {
  return (context.uc_mcontext.gregs[REG_ERR] & 2) != 0;
}
#elif defined(__aarch64__)
uintptr_t program_counter(const ucontext_t& context) {
  return context.uc_mcontext.pc;
}
// The kernel passes the syndrome in a record of the signal frame: bit 6 is WnR if the class is a data abort. An
// emulator may leave it out; then the instruction itself tells (Arm ARM C4.1, loads and stores: bit 22 is L, except in
// the integer forms with signed loads, where bits 23:22 are 0 for stores).
bool was_write(const ucontext_t& context) {
  constexpr uint32_t kEsrMagic = 0x45535201;
  const auto* at = reinterpret_cast<const uint8_t*>(&context.uc_mcontext.__reserved);
  for (size_t used = 0; used + 16 <= sizeof context.uc_mcontext.__reserved;) {
    uint32_t head[2];
    std::memcpy(head, at + used, sizeof head);
    if (head[0] == kEsrMagic) {
      uint64_t syndrome = 0;
      std::memcpy(&syndrome, at + used + 8, sizeof syndrome);
      const uint64_t exception_class = (syndrome >> 26) & 0x3F;
      return (exception_class == 0x24 || exception_class == 0x25) && (syndrome & 0x40) != 0;
    }
    if (head[0] == 0 || head[1] < 8) break;
    used += head[1];
  }
  const uintptr_t pc = program_counter(context);
  if (pc < kFirstPage || pc % 4 != 0) return false;
  uint32_t code = 0;
  std::memcpy(&code, reinterpret_cast<const void*>(pc), sizeof code);
  const bool load_or_store = (code & 0x0A000000) == 0x08000000;
  const bool vector = (code & 0x04000000) != 0;
  const bool single_register = (code & 0x38000000) == 0x38000000;
  if (!load_or_store) return false;
  if (single_register && !vector) return (code & 0x00C00000) == 0;
  return (code & 0x00400000) == 0;
}
#else
#error "teach watch.cpp where this architecture keeps its program counter"
#endif

void locate(uintptr_t address, CallResult& report) {
  for (size_t i = 0; i < g_watch.regions.size(); ++i) {
    const Region& region = g_watch.regions[i];
    if (address < region.low || address >= region.high) continue;
    const auto start = reinterpret_cast<uintptr_t>(region.data);
    report.fault_buffer = static_cast<Buffer>(i + 1);
    report.fault_inside = address >= start && address < start + region.size;
    const uintptr_t origin = address < start || report.fault_inside ? start : start + region.size;
    report.fault_distance = static_cast<int64_t>(address - origin);
    return;
  }
}

void on_fault(int signal, siginfo_t* info, void* raw_context) {
  // A fault of the runner itself, not of a kernel: let it die of it.
  if (g_watch.active == 0) {
    ::signal(signal, SIG_DFL);
    raise(signal);
    return;
  }
  const auto& context = *static_cast<const ucontext_t*>(raw_context);
  CallResult report;
  report.status = CallStatus::crashed;
  report.signal = signal;
  report.run = g_watch.run == Run::a ? 'A' : 'B';
  if (signal == SIGSEGV || signal == SIGBUS) {
    report.null_pc = program_counter(context) < kFirstPage;
    report.no_address = info->si_code <= 0 || info->si_code == SI_KERNEL;
    if (!report.no_address && !report.null_pc) {
      locate(reinterpret_cast<uintptr_t>(info->si_addr), report);
      report.fault_write = was_write(context);
    }
  }
  last_answer(g_watch.sequence, report);
}

void give_up() {
  CallResult report;
  report.status = CallStatus::timed_out;
  report.run = g_watch.run == Run::a ? 'A' : 'B';
  last_answer(g_watch.sequence, report);
}

void on_tick(int) {
  if (g_watch.active == 0) return;
  g_watch.ticks = g_watch.ticks + 1;
  if (g_watch.ticks > g_watch.limit_ticks) give_up();
}

// The harness has waited too long: the kernel sleeps, or waits for something. Or the kernel sent it itself.
void on_terminate(int signal, siginfo_t* info, void* context) {
  if (g_watch.active == 0) _exit(0);
  if (info->si_code <= 0 && info->si_pid == getpid()) on_fault(signal, info, context);
  give_up();
}

void install(int signal, void (*handler)(int), void (*fault_handler)(int, siginfo_t*, void*)) {
  struct sigaction action {};
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  if (fault_handler != nullptr) {
    action.sa_flags |= SA_SIGINFO;
    action.sa_sigaction = fault_handler;
  } else {
    action.sa_handler = handler;
  }
  sigfillset(&action.sa_mask);
  if (sigaction(signal, &action, nullptr) != 0) fail("cannot install a signal handler");
}

// A second process would answer in this one's place.
void on_fork() {
  if (g_watch.active != 0) fail("the kernel called fork()");
}

}  // namespace

void start_watch() {
  void* stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const stack_t alternate{.ss_sp = stack, .ss_flags = 0, .ss_size = kStackBytes};
  if (stack == MAP_FAILED || sigaltstack(&alternate, nullptr) != 0) fail("no memory for a signal stack");
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS}) {
    install(signal, nullptr, on_fault);
  }
  pthread_atfork(on_fork, nullptr, nullptr);
  install(SIGPROF, on_tick, nullptr);
  install(SIGTERM, nullptr, on_terminate);
  ::signal(SIGPIPE, SIG_IGN);
  const itimerval every{.it_interval = {0, kTickMs * 1000}, .it_value = {0, kTickMs * 1000}};
  if (setitimer(ITIMER_PROF, &every, nullptr) != 0) fail("no timer for the CPU limit");
}

void watch_call(uint32_t sequence, Run run, int32_t limit_ms, const Regions& regions) {
  g_watch.sequence = sequence;
  g_watch.run = run;
  g_watch.limit_ticks = limit_ms / kTickMs + 1;
  g_watch.regions = regions;
  g_watch.ticks = 0;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  g_watch.active = 1;
}

void watch_done() {
  g_watch.active = 0;
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

}  // namespace tritcheck
