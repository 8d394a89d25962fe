// What the program writes to, and how it may write there.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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
  /// `model`: the file the report is about, which it must not replace: UserError(kExitUsage). May be empty.
  ReportFile(const std::string& path, const std::string& model);
  ~ReportFile();
  ReportFile(ReportFile&& other) noexcept : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;
  ReportFile& operator=(ReportFile&&) = delete;
  void write(std::string_view text);

 private:
  std::string path_;
  int fd_ = -1;
};

/// Opens the file of --output, if there is to be one.
std::optional<ReportFile> report_file(const CommandLine& line, const std::string& model);

/// The report in the format asked for. With a file it goes there, and what is for people comes to standard output.
/// `plain`: without colours and in the usual width; `screen`: the text as standard output likes it.
void deliver(const CommandLine& line, std::optional<ReportFile>& file, const std::function<std::string(Format)>& plain,
             const std::function<std::string()>& screen);

}  // namespace tritcheck::cli
