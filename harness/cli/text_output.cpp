#include "harness/cli/text_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "harness/base/error.h"

namespace tritcheck::cli {

TextOutput::~TextOutput() {
  try {
    end_line();
  } catch (const UserError&) {
    // an error is under way already; end_line() was not reached because of it
  }
}

bool TextOutput::write(std::string_view text) {
  while (!text.empty() && !closed_) {
    const ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EPIPE) {
      closed_ = true;
    } else if (n < 0) {
      const int error = errno;
      in_line_ = false;  // a line end could not be written either
      throw UserError(kExitBadFile, fmt::format("cannot write to standard output: {}", std::strerror(error)));
    } else {
      in_line_ = text[static_cast<size_t>(n) - 1] != '\n';
      text.remove_prefix(static_cast<size_t>(n));
    }
  }
  return !closed_;
}

void TextOutput::end_line() {
  if (in_line_) write("\n");
}

}  // namespace tritcheck::cli
