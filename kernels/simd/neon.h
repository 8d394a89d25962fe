// NEON intrinsics everywhere: the compiler's own on ARM, SIMDe's elsewhere (TRITCHECK_SIMDE), so that the same source
// can be tested and fuzzed on an x86 machine.
#pragma once

#if defined(__aarch64__)
#include <arm_neon.h>
#else
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/arm/neon.h>
#endif
