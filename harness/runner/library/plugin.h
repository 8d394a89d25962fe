// A plug-in by the C interface of include/tritcheck/kernel.h, read with as much distrust as any foreign memory.
#pragma once

#include <string>

#include "harness/protocol/executor.h"
#include "harness/runner/calls.h"

namespace tritcheck {

/// The kernels of an open library that exports tritcheck_plugin(), appended with their functions. False if it exports
/// none; ends the runner with a message if what it says cannot be used.
bool read_plugin(void* library, LibraryInfo& info, std::vector<KernelInfo>& kernels,
                 std::vector<Caller::Entry>& functions);

}  // namespace tritcheck
