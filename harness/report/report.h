// The three faces of a finished run: text for people, JSON for programs, JUnit XML for CI. All are pure functions of a
// Report and the facts about this program; none reads a terminal, a clock or the environment.
//
//   std::cout << text_report(report, {build_info(), exit_code(report)}, {.colour = isatty(1) == 1});
#pragma once

#include <string>

#include "harness/base/run_report.h"

namespace tritcheck {

/// Version of the JSON report, documented in docs/report-schema.md. It changes only if a field goes or changes meaning.
inline constexpr int kReportSchema = 1;

/// What every report states about the program that made it.
struct BuildInfo {
  std::string version;   ///< "0.1.0"
  std::string compiler;  ///< of the harness, "gcc 12.2.0"; each target states its own for the kernels
  std::string flags;     ///< "-O3 -DNDEBUG"
  std::string cpu;       ///< model name of the machine the harness runs on; empty if the system does not tell
};
BuildInfo build_info();

struct ReportContext {
  BuildInfo build;
  int exit_code = 0;  ///< what the program will return
};

struct TextOptions {
  bool colour = false;
  int width = 100;  ///< columns; case and repro lines may be longer, so that they can be pasted
};

/// The table, the failures below it, the ledger and the summary line.
std::string text_report(const Report& report, const ReportContext& context, const TextOptions& options = {});
/// Only the last line of text_report, without colour.
std::string summary_line(const Report& report);
/// One JSON object, ended by a newline. Bytes that are not UTF-8 become U+FFFD.
std::string json_report(const Report& report, const ReportContext& context);
/// One testsuite per target, one testcase per kernel. What XML cannot hold (control characters) is spelled \xNN.
std::string junit_report(const Report& report, const ReportContext& context);

}  // namespace tritcheck
