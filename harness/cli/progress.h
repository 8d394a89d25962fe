// One line on a terminal's standard error, redrawn while a run goes on; nothing anywhere else.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "harness/verify.h"

namespace tritcheck::cli {

/// verify() calls it under its lock, so it needs none of its own. The destructor clears the line.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  Progress callbacks();
  void clear();

 private:
  void draw(int64_t done, int64_t total);

  bool terminal_ = false;
  bool drawn_ = false;
  int failed_ = 0;
  std::string now_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace tritcheck::cli
