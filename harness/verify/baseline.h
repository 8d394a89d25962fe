// Known defects of libraries: a file that says which failures are expected, so that new ones stand out.
//
//   # library                device               function                diagnosis
//   libggml-cpu-armv8.2_*    qemu:max,vl=1024     ggml_vec_dot_q3_K_q8_K  vl-assumption   # reported as #1234
//
// Four words a line, the first three with the wildcards of file names; # begins a comment.
#pragma once

#include <string>
#include <vector>

#include "harness/base/run_report.h"

namespace tritcheck {

struct KnownDefect {
  std::string library;
  std::string device;
  std::string function;
  std::string diagnosis;
  int line = 0;
  bool looked_for = false;  ///< a function it names was run
  bool seen = false;
};

/// Throws UserError(kExitBadFile) with file and line for what cannot be read.
std::vector<KnownDefect> read_baseline(const std::string& path);

/// Marks the failures of the report that the baseline knows, and lists the entries that were looked for in vain.
/// `library` and `device` tell those of a kernel report.
void apply_baseline(std::vector<KnownDefect> known, Report& report);

}  // namespace tritcheck
