// Standard output for text that grows.
#pragma once

#include <string_view>

namespace tritcheck::cli {

/// Each write is on its way at once. The destructor ends the line if need be, so that it is clean whatever happens.
class TextOutput {
 public:
  TextOutput() = default;
  ~TextOutput();
  TextOutput(const TextOutput&) = delete;
  TextOutput& operator=(const TextOutput&) = delete;

  /// False, now and ever after: the reader has gone away. Throws UserError(kExitBadFile) if it cannot be written for
  /// another reason, such as a full disk.
  bool write(std::string_view text);
  /// A line end, if something was written that does not end with one.
  void end_line();
  /// The reader has gone away.
  bool closed() const { return closed_; }

 private:
  bool closed_ = false;
  bool in_line_ = false;
};

}  // namespace tritcheck::cli
