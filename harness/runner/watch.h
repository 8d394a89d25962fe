// What happens when a kernel does not simply return: crash reports with the faulting address sorted into the regions
// of the call, and the limit on CPU time.
#pragma once

#include <array>
#include <cstdint>

#include "harness/runner/memory.h"

namespace tritcheck {

/// Weights, activations, output: in the order of Buffer, without none.
using Regions = std::array<Region, 3>;

/// Installs the handlers on a stack of their own and starts the clock that ticks while this process computes.
void start_watch();

/// From here until watch_done(), a fatal signal or more than `limit_ms` of CPU time is blamed on this run of this call.
void watch_call(uint32_t sequence, Run run, int32_t limit_ms, const Regions& regions);
void watch_done();

}  // namespace tritcheck
