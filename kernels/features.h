// Which instruction sets this CPU can run: found out once, by asking the CPU and never by trying (cpu_features.h).
#pragma once

#include <string>

#include "kernels/cpu_features.h"
#include "kernels/kernel.h"

namespace tritcheck {

/// This CPU. Executes nothing it asks about.
Features detect();

/// "ssse3 avx2 fma"; on ARM "neon dotprod hwcap=0x119fff"; "none" if there is nothing beyond the baseline.
std::string to_string(const Features& features);

/// Whether native code for this instruction set can run: the CPU has all features of its line. Scalar always can.
bool supports(const Features& features, Isa isa);

/// Why this kernel cannot run here: "not compiled for this architecture", "cpu lacks avx2"; empty if it can. A kernel
/// compiled through SIMDe is plain code for this architecture and needs no feature.
std::string why_not(const Kernel& kernel, const Features& features);

}  // namespace tritcheck
