// What this runner holds, and what it says about itself.
#pragma once

#include <vector>

#include "harness/protocol/executor.h"
#include "harness/runner/calls.h"
#include "kernels/dispatch.h"

namespace tritcheck {

/// The kernels, then the museum, with the reasons why they cannot run on this CPU.
std::vector<Caller::Entry> inventory(const Features& features);

/// The hello. Of each operation and layout, and each format of blocks, the kernel that dispatch selects under the
/// allow-list is marked.
WorkerInfo describe(const Features& features, const IsaList& allow);

}  // namespace tritcheck
