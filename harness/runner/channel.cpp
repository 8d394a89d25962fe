#include "harness/runner/channel.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <vector>

#include "harness/protocol/messages.h"

#if defined(__SANITIZE_ADDRESS__)
#define WITH_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_SANITIZER
#endif
#endif
#ifdef WITH_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace tritcheck {
namespace {

constexpr int kFirstDescriptor = 200;
constexpr size_t kReadStep = size_t{1} << 18;
constexpr size_t kFlushBytes = size_t{1} << 15;
constexpr int64_t kFlushNs = 20'000'000;
constexpr int kExitReported = 65;

int g_in = 0;
int g_out = 1;
int g_err = 2;

std::vector<uint8_t> g_input;
size_t g_taken = 0;  // bytes of g_input already handed out
size_t g_filled = 0;
std::vector<uint8_t> g_pending;
int64_t g_last_flush_ns = 0;

int64_t now_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

// The harness may be gone; then there is nobody to tell.
void send(const uint8_t* data, size_t n) {
  while (n > 0) {
    const ssize_t sent = write(g_out, data, n);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) _exit(kExitRefused);
    data += sent;
    n -= static_cast<size_t>(sent);
  }
}

void flush() {
  send(g_pending.data(), g_pending.size());
  g_pending.clear();
}

template <class Message>
void queue(wire::FrameType type, uint32_t sequence, const Message& message) {
  wire::Writer measure;
  encode(measure, message);
  const size_t at = g_pending.size();
  g_pending.resize(at + wire::kHeaderBytes + measure.size());
  const std::span<uint8_t> payload(&g_pending[at + wire::kHeaderBytes], measure.size());
  wire::Writer out(payload);
  encode(out, message);
  wire::write_header(&g_pending[at], type, sequence, payload);
  if (g_pending.size() > kFlushBytes) flush();
}

// Reads until `bytes` of unused input are there; false at the end of the input.
bool have(size_t bytes) {
  while (g_filled - g_taken < bytes) {
    flush();
    if (g_taken > 0) {
      std::memmove(g_input.data(), &g_input[g_taken], g_filled - g_taken);
      g_filled -= g_taken;
      g_taken = 0;
    }
    if (g_input.size() < std::max(bytes, kReadStep)) g_input.resize(std::max(bytes, kReadStep));
    const ssize_t got = read(g_in, &g_input[g_filled], g_input.size() - g_filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(std::string("cannot read the request: ") + std::strerror(errno));
    if (got == 0 && g_filled == 0) return false;
    if (got == 0) fail("the input ends inside a request");
    g_filled += static_cast<size_t>(got);
  }
  return true;
}

}  // namespace

void open_channel() {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int* fd : {&g_in, &g_out, &g_err}) {
    const int high = fcntl(*fd, F_DUPFD_CLOEXEC, kFirstDescriptor);
    if (high < 0 || null < 0) fail("standard input, output and error must be open");
    dup2(null, *fd);
    *fd = high;
  }
  close(null);
#ifdef WITH_SANITIZER
  __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<intptr_t>(g_err)));
#endif
  g_pending.reserve(2 * kFlushBytes);
}

void fail(const std::string& message, int code) {
  const std::string line = "tritcheck-runner: " + message + "\n";
  if (write(g_err, line.data(), line.size()) < 0) _exit(code);
  _exit(code);
}

std::optional<Frame> next_frame(wire::FrameType type) {
  if (!have(wire::kHeaderBytes)) return std::nullopt;
  const auto header = wire::read_header(&g_input[g_taken]);
  if (!header || header->type != type) {
    fail("the input is not a request of protocol " + std::to_string(wire::kSchema) +
         "; this program is started by tritcheck, or with --list by people");
  }
  if (!have(wire::kHeaderBytes + header->length)) return std::nullopt;
  const std::span<const uint8_t> payload(g_input.data() + g_taken + wire::kHeaderBytes, header->length);
  g_taken += wire::kHeaderBytes + header->length;
  if (header->checksum != wire::checksum(header->type, header->sequence, payload)) fail("a request is damaged");
  return Frame{header->sequence, payload};
}

void send_frame(wire::FrameType type, uint32_t sequence, std::span<const uint8_t> payload) {
  uint8_t header[wire::kHeaderBytes];
  wire::write_header(header, type, sequence, payload);
  flush();
  send(header, sizeof header);
  send(payload.data(), payload.size());
}

void send_hello(const WorkerInfo& info) {
  queue(wire::FrameType::hello, 0, info);
}

void answer(uint32_t sequence, const CallResult& result) {
  queue(wire::FrameType::result, sequence, result);
}

void flush_if_due() {
  if (g_pending.empty()) return;
  const int64_t now = now_ns();
  if (now - g_last_flush_ns < kFlushNs) return;
  flush();
  g_last_flush_ns = now;
}

void last_answer(uint32_t sequence, const CallResult& result) {
  send(g_pending.data(), g_pending.size());
  static uint8_t frame[256];
  const std::span<uint8_t> room = std::span(frame).subspan(wire::kHeaderBytes);
  wire::Writer out(room);
  encode(out, result);
  wire::write_header(frame, wire::FrameType::result, sequence, room.first(out.size()));
  send(frame, wire::kHeaderBytes + out.size());
  _exit(kExitReported);
}

}  // namespace tritcheck
