// One line on a terminal's standard error, redrawn while a run goes on; nothing anywhere else.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "harness/base/options.h"
#include "harness/models/repack.h"
#include "harness/paris/layout_score.h"

namespace tritcheck::cli {

/// The line itself. The destructor clears it.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// False: standard error is no terminal, nothing is ever drawn.
  bool visible() const { return terminal_; }
  /// True at most twenty times a second; ask before making the text.
  bool due();
  void draw(std::string text);
  void clear();

 private:
  bool terminal_ = false;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

/// score_layouts() with a line of progress. Throws UserError(kExitInterrupted) too.
LayoutAnswer score_layouts_visibly(const std::string& path, const gguf::File& file,
                                   const std::vector<std::string>& texts = {});

/// verify() calls it under its lock, so it needs none of its own.
class ProgressLine {
 public:
  /// What is counted: "kernels", "prompts".
  explicit ProgressLine(const char* what = "kernels") : what_(what) {}
  Progress callbacks();

 private:
  void draw();

  StatusLine line_;
  const char* what_;
  int failed_ = 0;
  std::string now_;
  int64_t done_ = 0, total_ = 0;
  double share_ = 0;  ///< of the work, if it is told
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The same for repack().
class RepackProgressLine {
 public:
  RepackProgress callback();

 private:
  StatusLine line_;
};

}  // namespace tritcheck::cli
