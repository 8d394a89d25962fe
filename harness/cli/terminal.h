// What the program writes to, and how it may write there.
#pragma once

#include <string>
#include <string_view>

#include "harness/cli/command_line.h"

namespace tritcheck::cli {

/// Whether to colour what goes to standard output: on a terminal, unless NO_COLOR is set (to anything but nothing) or
/// the terminal is dumb.
bool use_colour(Colour when);
/// Columns of standard output: those of the terminal within 80 and 160, else 100.
int output_width();

/// Writes to standard output. A reader that has gone away (`tritcheck ... | head`) is not an error; a full disk is:
/// UserError(kExitBadFile).
void print(std::string_view text);

/// A file for a report, opened before a long run so that a wrong path is found at once, and emptied only when the
/// report is written. Throws UserError(kExitBadFile).
class ReportFile {
 public:
  explicit ReportFile(const std::string& path);
  ~ReportFile();
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;
  void write(std::string_view text);

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace tritcheck::cli
