// The CPU features of cpu_features.inc: how each is read, and the names people give them. A new one is a line there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/isa.h"

namespace tritcheck {

/// Features that may be used: the CPU has them and the operating system saves their registers. A bool for each line of
/// cpu_features.inc, in its order: Features{.ssse3 = true, .avx2 = true}.
struct Features {
#define TRITCHECK_CPU_FEATURE(name, arch, word, bit, state, spellings) bool name = false;
#include "kernels/cpu_features.inc"
#undef TRITCHECK_CPU_FEATURE
  uint64_t hwcap = 0;  ///< ARM only: AT_HWCAP as it was read
  bool operator==(const Features&) const = default;
};

/// The words that all features depend on, as they were read; those of the other architecture are 0.
struct CpuWords {
  uint64_t max_leaf = 0;  ///< CPUID.0:EAX
  uint64_t leaf1_ecx = 0;
  uint64_t leaf1_edx = 0;
  uint64_t max_leaf7 = 0;  ///< CPUID.(7,0):EAX
  uint64_t leaf7_ebx = 0;  ///< these three: CPUID.(7,0); ignored if max_leaf < 7
  uint64_t leaf7_ecx = 0;
  uint64_t leaf7_edx = 0;
  uint64_t leaf7_1_eax = 0;  ///< these two: CPUID.(7,1); ignored if max_leaf7 < 1
  uint64_t leaf7_1_edx = 0;
  uint64_t max_extended = 0;  ///< CPUID.80000000H:EAX
  uint64_t ext1_ecx = 0;      ///< CPUID.80000001H:ECX; ignored if max_extended is below that
  uint64_t xcr0 = 0;          ///< XGETBV(0); ignored without OSXSAVE
  uint64_t hwcap = 0;         ///< AT_HWCAP
  uint64_t hwcap2 = 0;        ///< AT_HWCAP2
};

/// What must be so besides the feature's own bit (Intel SDM vol. 1, 14.3, 15.2 and 18.2).
enum class State : uint8_t {
  always,
  ymm,    ///< AVX, OSXSAVE, and the system saves XMM and YMM: XCR0 bits 1 and 2
  zmm,    ///< the same, AVX512F, and XCR0 bits 5 to 7
  tile,   ///< AMX-TILE, OSXSAVE, and XCR0 bits 17 and 18
  asimd,  ///< HWCAP bit 1
};

/// One line of cpu_features.inc.
struct CpuFeature {
  std::string_view name;
  Arch arch;
  uint64_t CpuWords::*word;
  int bit;
  State state;
  std::string_view spellings;  ///< others, apart by blanks
  bool Features::*present;
};

inline constexpr CpuFeature kCpuFeatures[] = {
#define TRITCHECK_CPU_FEATURE(name, arch, word, bit, state, spellings) \
  {#name, Arch::arch, &CpuWords::word, bit, State::state, spellings, &Features::name},
#include "kernels/cpu_features.inc"
#undef TRITCHECK_CPU_FEATURE
};

/// The feature of that name in any spelling of the table: "-mavx512vnni", "AVX512_VNNI", "asimddp"; null if none has
/// it.
const CpuFeature* cpu_feature_of(std::string_view word);

/// Why code that needs these features ("avx2 fma", "asimddp,i8mm", "sve+bf16"; a blank, comma or plus apart) cannot
/// run: "cpu lacks avx512f", or that a name is not known, and which are; empty if it can.
std::string why_not(std::string_view needs, const Features& features);

/// The features that these words tell of. All detection is this function, so that every bit can be mocked.
Features features_of(const CpuWords& words);

/// The words of this CPU. Executes nothing they tell of.
CpuWords read_cpu();

}  // namespace tritcheck
