// What this CPU can do: found out once, by asking the CPU and never by trying. The decisions are pure functions of the
// raw register values, so that every bit can be mocked.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/kernel.h"

namespace tritcheck {

/// Instruction sets that may be used: the CPU has them and the operating system saves their registers.
struct Features {
  bool ssse3 = false;
  bool avx2 = false;
  bool fma = false;   ///< FMA3, and the registers it works in
  bool f16c = false;  ///< conversions from and to binary16: no kernel needs them, the engine's sums do
  bool neon = false;
  bool dotprod = false;
  uint64_t hwcap = 0;  ///< ARM only: AT_HWCAP as it was read
  bool operator==(const Features&) const = default;
};

/// The words x86 detection depends on (Intel SDM vol. 2, CPUID; vol. 1, 14.3 for the order of the AVX checks).
struct CpuidWords {
  uint32_t max_leaf = 0;   ///< CPUID.0:EAX
  uint32_t leaf1_ecx = 0;  ///< CPUID.1:ECX
  uint32_t leaf7_ebx = 0;  ///< CPUID.(7,0):EBX; ignored if max_leaf < 7
  uint64_t xcr0 = 0;       ///< XGETBV(0); ignored without OSXSAVE
};

/// SSSE3 from leaf 1 ECX bit 9. AVX2 from leaf 7 EBX bit 5, and only with AVX (bit 28), OSXSAVE (bit 27) and both the
/// XMM and the YMM state enabled by the system (XCR0 bits 1 and 2). F16C from leaf 1 ECX bit 29, with the same
/// conditions, and FMA3 from bit 12.
Features x86_features(const CpuidWords& words);

/// NEON from HWCAP bit 1 (ASIMD), DotProd from bit 20 (ASIMDDP), which without ASIMD counts for nothing.
Features arm_features(uint64_t hwcap);

/// This CPU. Executes nothing it asks about.
Features detect();

/// "ssse3 avx2 fma"; on ARM "neon dotprod hwcap=0x119fff"; "none" if there is nothing beyond the baseline.
std::string to_string(const Features& features);

/// Whether native code for this instruction set can run. Scalar always can.
bool supports(const Features& features, Isa isa);

/// Why this kernel cannot run here: "not compiled for this architecture", "cpu lacks avx2"; empty if it can. A kernel
/// compiled through SIMDe is plain code for this architecture and needs no feature.
std::string why_not(const Kernel& kernel, const Features& features);

}  // namespace tritcheck
