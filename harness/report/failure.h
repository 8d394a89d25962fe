// What a person is told about one failed kernel.
#pragma once

#include <string>

#include "harness/report/report.h"

namespace tritcheck {

/// Diagnosis, evidence, expected beside got, the smallest case and the repro line. Empty if the kernel has no failure.
std::string failure_text(const KernelReport& kernel, const TextOptions& options);

}  // namespace tritcheck
