// Somebody's ggml library: loaded into this process, and searched for functions with a known signature.
#pragma once

#include <string>
#include <vector>

#include "harness/protocol/executor.h"
#include "harness/runner/calls.h"

namespace tritcheck {

struct LoadedLibrary {
  LibraryInfo info;
  std::vector<KernelInfo> kernels;       ///< also those that cannot be verified, with the reason
  std::vector<Caller::Entry> functions;  ///< one for each of them
};

/// Loads a shared library with everything it needs, reads its tables of types and its symbols, and initialises it. Ends
/// the runner with a message if it cannot be loaded or holds nothing that is known here.
LoadedLibrary load_library(const std::string& path);

}  // namespace tritcheck
