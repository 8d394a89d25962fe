#include "harness/targets/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <thread>

#include "harness/protocol/messages.h"
#include "harness/targets/target.h"

namespace tritcheck {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr size_t kReadStep = size_t{1} << 17;

// Process groups that live, for kill_all_workers(). A slot is cleared before its process is reaped, so that a number in
// it always belongs to us.
constexpr size_t kSlots = 1024;
std::array<std::atomic<pid_t>, kSlots> g_live;
std::atomic<uint64_t> g_generation{0};
std::atomic<int64_t> g_cpu_us{0};

size_t claim_slot(pid_t pid) {
  for (size_t i = 0; i < kSlots; ++i) {
    pid_t free = 0;
    if (g_live[i].compare_exchange_strong(free, pid)) return i;
  }
  return kSlots;
}

int64_t microseconds(const timeval& t) {
  return int64_t{t.tv_sec} * 1'000'000 + t.tv_usec;
}

[[noreturn]] void give_up(const char* what) {
  throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

}  // namespace

uint64_t kill_generation() {
  return g_generation.load();
}

double workers_cpu_seconds() {
  return static_cast<double>(g_cpu_us.load()) * 1e-6;
}

void kill_all_workers() {
  const int saved = errno;
  g_generation.fetch_add(1);
  for (auto& slot : g_live) {
    const pid_t pid = slot.load();
    if (pid > 0) kill(-pid, SIGKILL);
  }
  errno = saved;
}

void Worker::start(const std::vector<std::string>& command) {
  stop();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) give_up("no socket for a worker");
  socket_ = ends[0];
  errors_ = memfd_create("tritcheck-stderr", MFD_CLOEXEC);
  fcntl(socket_, F_SETFL, O_NONBLOCK);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  if (errors_ >= 0) posix_spawn_file_actions_adddup2(&actions, errors_, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);

  const uint64_t generation = kill_generation();
  const int error = posix_spawnp(&pid_, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  if (error != 0) {
    pid_ = 0;
    stop();
    errno = error;
    give_up(("cannot start " + command.front()).c_str());
  }
  slot_ = claim_slot(pid_);
  // kill_all_workers() may have run before the slot was filled
  if (slot_ == kSlots || kill_generation() != generation) kill(-pid_, SIGKILL);

  next_sequence = 1;
  used = mixed = isolated = false;
  out_.clear();
  out_at_ = in_at_ = in_end_ = 0;
}

void Worker::send(uint32_t sequence, const CallRequest& request) {
  if (out_at_ == out_.size()) {
    out_.clear();
    out_at_ = 0;
  }
  wire::Writer measure;
  wire::encode(measure, request);
  const size_t at = out_.size();
  out_.resize(at + wire::kHeaderBytes + measure.size());
  const std::span<uint8_t> payload(&out_[at + wire::kHeaderBytes], measure.size());
  wire::Writer out(payload);
  wire::encode(out, request);
  wire::write_header(&out_[at], wire::FrameType::call, sequence, payload);
}

void Worker::send(wire::FrameType type, uint32_t sequence, std::span<const uint8_t> payload) {
  const size_t at = out_.size();
  out_.resize(at + wire::kHeaderBytes);
  wire::write_header(&out_[at], type, sequence, payload);
  out_.insert(out_.end(), payload.begin(), payload.end());
}

bool Worker::pump(steady_clock::time_point deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now()).count();
  pollfd watched{socket_, static_cast<short>(unsent() > 0 ? POLLIN | POLLOUT : POLLIN), 0};
  if (poll(&watched, 1, static_cast<int>(std::clamp<int64_t>(left, 0, 60'000))) <= 0) return true;
  if ((watched.revents & POLLOUT) != 0 && unsent() > 0) {
    const ssize_t sent = ::send(socket_, &out_[out_at_], unsent(), MSG_NOSIGNAL);
    if (sent > 0) out_at_ += static_cast<size_t>(sent);
    // A worker that no longer listens may still have sent its last answer: read on.
  }
  if ((watched.revents & (POLLIN | POLLHUP | POLLERR)) == 0) return true;
  if (in_at_ > 0) {
    std::memmove(in_.data(), &in_[in_at_], in_end_ - in_at_);
    in_end_ -= in_at_;
    in_at_ = 0;
  }
  if (in_.size() < in_end_ + kReadStep) in_.resize(in_end_ + kReadStep);
  const ssize_t got = read(socket_, &in_[in_end_], kReadStep);
  if (got > 0) in_end_ += static_cast<size_t>(got);
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

Worker::Got Worker::take(Frame& frame) {
  const size_t there = in_end_ - in_at_;
  if (there < wire::kHeaderBytes) return Got::nothing;
  const auto header = wire::read_header(&in_[in_at_]);
  if (!header) return Got::garbage;
  if (there < wire::kHeaderBytes + header->length) return Got::nothing;
  frame = {*header, std::span(in_).subspan(in_at_ + wire::kHeaderBytes, header->length)};
  in_at_ += wire::kHeaderBytes + header->length;
  const bool sound = header->checksum == wire::checksum(header->type, header->sequence, frame.payload);
  return sound ? Got::frame : Got::garbage;
}

void Worker::terminate() const {
  if (pid_ > 0) kill(pid_, SIGTERM);
}

double Worker::cpu_seconds() const {
  clockid_t clock{};
  timespec so_far{};
  if (pid_ <= 0 || clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &so_far) != 0) return 0;
  return static_cast<double>(so_far.tv_sec) + static_cast<double>(so_far.tv_nsec) * 1e-9;
}

Worker::End Worker::wait_and_forget(bool kill_first) {
  if (slot_ < kSlots) g_live[slot_].store(0);
  if (kill_first) kill(-pid_, SIGKILL);
  int status = 0;
  rusage usage{};
  while (wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  g_cpu_us += microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
  End end;
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
  return end;
}

Worker::End Worker::reap() {
  bool ended = false;
  for (int i = 0; i < 100 && !ended; ++i) {
    siginfo_t info{};
    ended = waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
    if (!ended) std::this_thread::sleep_for(milliseconds(i < 10 ? 1 : 10));
  }
  End end = wait_and_forget(!ended);
  end.killed = !ended;
  return end;
}

void Worker::stop() {
  if (pid_ > 0) wait_and_forget(true);
  for (int* fd : {&socket_, &errors_}) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
  }
}

void Worker::forget_words() {
  words_from_ = errors_ < 0 ? 0 : lseek(errors_, 0, SEEK_END);
}

std::string Worker::last_words() const {
  std::array<char, 4096> text;
  const ssize_t got = errors_ < 0 ? 0 : pread(errors_, text.data(), text.size(), words_from_);
  std::string_view words(text.data(), static_cast<size_t>(std::max<ssize_t>(got, 0)));
  while (!words.empty() && words.back() == '\n') words.remove_suffix(1);
  // A sanitizer says what it found in the first line of a long report.
  for (const std::string_view sign : {"ERROR: ", "runtime error: "}) {
    const size_t at = words.find(sign);
    if (at != std::string_view::npos) return std::string(words.substr(at, words.find('\n', at) - at));
  }
  return std::string(words.substr(words.rfind('\n') + 1));
}

}  // namespace tritcheck
