#include "harness/cli/run_model_io.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/generate/trace_line.h"
#include "harness/base/console.h"
#include "harness/base/error.h"
#include "harness/base/interrupt.h"
#include "harness/base/new_file.h"

namespace tritcheck::cli {
namespace {

constexpr size_t kMostInput = size_t{64} << 20;

}  // namespace

// By poll(), which unlike read() is not begun again behind a signal.
std::string standard_input() {
  std::string out;
  char part[65536];
  while (!g_interrupted) {
    pollfd wait{STDIN_FILENO, POLLIN, 0};
    if (poll(&wait, 1, 200) <= 0) continue;
    const ssize_t n = read(STDIN_FILENO, part, sizeof part);
    if (n == 0) break;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw UserError(kExitBadFile, fmt::format("cannot read standard input: {}", std::strerror(errno)));
    out.append(part, static_cast<size_t>(n));
    if (out.size() > kMostInput)
      throw UserError(kExitUsage, fmt::format("standard input: a prompt may have {} bytes at most", kMostInput));
  }
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

Answer::Answer(const text::Tokenizer* tokenizer, bool special) {
  if (tokenizer != nullptr) text_.emplace(*tokenizer, special);
}

bool Answer::token(int32_t id) {
  const bool first = std::exchange(first_, false);
  return out_.write(text_ ? text_->push(id) : fmt::format("{}{}", first ? "" : ",", id));
}

void Answer::end(bool by_model) {
  if (text_ && by_model) out_.write(text_->flush());
  out_.end_line();
}

TraceFile::TraceFile(const std::string& path, const std::string& model, bool values) : path_(path), values_(values) {
  refuse_model("--trace", path, model);
  out_.open(path, std::ios::binary | std::ios::trunc);
  check();
}

void TraceFile::write(const engine::TraceStep& step) {
  engine::write_trace_line(out_, step, values_);
  check();
}

void TraceFile::close() {
  out_.close();
  check();
}

void TraceFile::check() const {
  if (!out_) throw UserError(kExitBadFile, fmt::format("--trace: cannot write '{}'", printable(path_)));
}

}  // namespace tritcheck::cli
