#include "harness/cli/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "harness/base/console.h"
#include "harness/base/new_file.h"

namespace tritcheck::cli {
namespace {

// 0, or the error number.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

}  // namespace

bool use_colour(Colour when) {
  if (when != Colour::automatic) return when == Colour::always;
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  if (no_color != nullptr && *no_color != '\0') return false;
  return isatty(STDOUT_FILENO) == 1 && term != nullptr && std::strcmp(term, "dumb") != 0;
}

int output_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 100;
  return std::clamp<int>(size.ws_col, 80, 160);
}

void print(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0 || error == EPIPE) return;
  throw UserError(kExitBadFile, fmt::format("cannot write to standard output: {}", std::strerror(error)));
}

ReportFile::ReportFile(const std::string& path, const std::string& model) : path_(path) {
  refuse_model("--output", path, model);
  fd_ = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd_ >= 0) return;
  throw UserError(kExitBadFile, fmt::format("--output: cannot write '{}': {}; name a file in a folder you can write to",
                                            printable(path), std::strerror(errno)));
}

ReportFile::~ReportFile() {
  if (fd_ >= 0) close(fd_);
}

void ReportFile::write(std::string_view text) {
  // a pipe or a terminal cannot be cut, and need not be
  int error = ftruncate(fd_, 0) != 0 && errno != EINVAL ? errno : 0;
  if (error == 0) error = write_all(fd_, text);
  if (error == 0) return;
  throw UserError(kExitBadFile, fmt::format("--output: cannot write '{}': {}", printable(path_), std::strerror(error)));
}

std::optional<ReportFile> report_file(const CommandLine& line, const std::string& model) {
  if (line.output.empty()) return std::nullopt;
  return ReportFile(line.output, model);
}

void deliver(const CommandLine& line, std::optional<ReportFile>& file, const std::function<std::string(Format)>& plain,
             const std::function<std::string()>& screen) {
  if (file) file->write(plain(line.format));
  print(file || line.format == Format::text ? screen() : plain(line.format));
}

}  // namespace tritcheck::cli
