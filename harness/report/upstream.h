// A failure of a library as a bug report for the people who write it: Markdown, with a program in plain C.
#pragma once

#include <string>

#include "harness/report/report.h"

namespace tritcheck {

/// Every failure of a run over libraries, known defects included, most telling first. Says so if there is none.
std::string upstream_report(const Report& report, const ReportContext& context);

}  // namespace tritcheck
