// The program of a report for a library's authors: one failing call in plain C, without tritcheck.
#pragma once

#include <string>

#include "harness/base/run_report.h"
#include "harness/cases/problem.h"

namespace tritcheck {

/// Whether a program can find the function: by a symbol, or in a plug-in's list.
bool has_program(const KernelReport& k, const LibraryInfo& library);

/// Loads the library, or the one it is given as an argument, makes the call twice, as the memory protocol says, prints
/// the wrong results beside the right ones, and what else was written. It dies where memory is touched that must not
/// be; else it ends with 1 if anything was wrong and 0 if all was right.
std::string upstream_program(const KernelReport& k, const LibraryInfo& library, const Problem& p, const Expectation& e);

}  // namespace tritcheck
