// The same function of the same library on the same CPU, at several vector lengths.
#pragma once

#include "harness/base/run_report.h"

namespace tritcheck {

/// Where its values are right at some lengths and wrong at others, its mistake is to count on them: the failure gets
/// the name vl-assumption, and what it was called by its answers alone becomes evidence.
void name_vector_lengths(Report& report);

}  // namespace tritcheck
