#include "harness/cli/run_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "harness/cli/progress.h"
#include "harness/cli/terminal.h"
#include "harness/matrix.h"
#include "harness/report/report.h"

namespace tritcheck::cli {
namespace {

std::string in_format(Format format, const Report& report, const ReportContext& context) {
  switch (format) {
    case Format::json:
      return json_report(report, context);
    case Format::junit:
      return junit_report(report, context);
    case Format::text:
      break;
  }
  return text_report(report, context);
}

}  // namespace

int run_command(const CommandLine& line) {
  std::optional<ReportFile> file;
  std::error_code absent;
  if (!line.output.empty() && std::filesystem::equivalent(line.output, line.options.model, absent)) {
    throw UserError(kExitUsage, "--output names the model file itself; name another file for the report");
  }
  if (!line.output.empty()) file.emplace(line.output);

  Report report;
  {
    ProgressLine progress;
    report = line.command == Command::replay ? replay(line.subject, line.options, progress.callbacks())
                                             : verify(line.options, progress.callbacks());
  }
  const ReportContext context{build_info(), exit_code(report)};
  if (file) file->write(in_format(line.format, report, context));
  if (file || line.format == Format::text) {
    print(text_report(report, context, {use_colour(line.colour), output_width()}));
  } else {
    print(in_format(line.format, report, context));
  }
  return context.exit_code;
}

int matrix_command(const CommandLine& line) {
  Matrix matrix;
  {
    ProgressLine progress;
    matrix = kill_matrix(line.options, progress.callbacks());
  }
  print(matrix_text(matrix));
  if (matrix.interrupted || g_interrupted) return kExitInterrupted;
  const bool ran =
      std::any_of(matrix.rows.begin(), matrix.rows.end(), [](const MatrixRow& r) { return r.skipped.empty(); });
  if (!ran) return kExitNothingRan;
  return matrix.missed().empty() && matrix.idle_families().empty() ? kExitPass : kExitWrong;
}

}  // namespace tritcheck::cli
