#include "harness/cli/run_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/base/mapped_file.h"
#include "harness/cli/progress.h"
#include "harness/cli/terminal.h"
#include "harness/models/inspect.h"
#include "harness/models/inspect_facts.h"
#include "harness/paris/layout_score.h"
#include "harness/report/report.h"
#include "harness/report/upstream.h"
#include "harness/verify/matrix.h"
#include "harness/verify/selfcheck.h"
#include "harness/verify/verify.h"

namespace tritcheck::cli {
namespace {

std::string in_format(Format format, const Report& report, const ReportContext& context) {
  switch (format) {
    case Format::json:
      return json_report(report, context);
    case Format::junit:
      return junit_report(report, context);
    case Format::upstream:
      return upstream_report(report, context);
    case Format::text:
      break;
  }
  return text_report(report, context);
}

// The report of `inspect --report json` with one member more.
std::string with_layout(const std::string& text, const LayoutAnswer& answer) {
  auto report = nlohmann::ordered_json::parse(text);
  auto& scores = report["layout"]["nats_per_token"];
  for (const LayoutScore& s : answer.scores) {
    if (std::isfinite(s.nll)) {
      scores[std::string(i2_s::name(s.layout))] = s.nll;
    } else {
      scores[std::string(i2_s::name(s.layout))] = nullptr;
    }
  }
  report["layout"]["log_vocab"] = answer.log_vocab;
  report["layout"]["found"] = answer.layout ? nlohmann::ordered_json(i2_s::name(*answer.layout)) : nullptr;
  return report.dump(2) + "\n";
}

}  // namespace

int run_command(const CommandLine& line) {
  std::optional<ReportFile> file = report_file(line, line.options.model);
  Report report;
  {
    ProgressLine progress;
    report = line.command == Command::replay ? replay(line.subject, line.options, progress.callbacks())
                                             : verify(line.options, progress.callbacks());
  }
  const ReportContext context{build_info(), exit_code(report)};
  deliver(
      line, file, [&](Format format) { return in_format(format, report, context); },
      [&] {
        return text_report(report, context, {use_colour(line.colour), output_width()});
      });
  return context.exit_code;
}

int inspect_command(const CommandLine& line) {
  const bool as_json = line.format == Format::json;
  std::string out = as_json ? inspect_json(line.subject, {line.verbose}) : inspect_text(line.subject, {line.verbose});
  if (line.which_layout) {
    const MappedFile mapped(line.subject);
    const gguf::File file = parse_model(line.subject, mapped.bytes());
    if (gguf::i2_s_slices(file).empty()) {
      throw UserError(kExitBadFile, line.subject + ": no I2_S tensor in this file, so it has no layout to find");
    }
    const LayoutAnswer answer = score_layouts_visibly(line.subject, file, line.texts);
    mapped.check_unchanged();
    out = as_json ? with_layout(out, answer) : out + "\n" + layout_text(answer, line.options.program, line.subject);
  }
  print(out);
  return kExitPass;
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

int selfcheck_command(const CommandLine& line) {
  Selfcheck result;
  {
    ProgressLine progress;
    result = selfcheck(line.options, progress.callbacks());
  }
  print(selfcheck_text(result, use_colour(line.colour)));
  if (result.interrupted) return kExitInterrupted;
  return result.ran() == 0 ? kExitNothingRan : result.wrong() == 0 ? kExitPass : kExitWrong;
}

}  // namespace tritcheck::cli
