#include "harness/runner/library/cpu_names.h"

#include <optional>
#include <sstream>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace tritcheck {
namespace {

// Whether the CPU has it; nothing for a name that is not known.
std::optional<bool> has(const std::string& feature) {
#if defined(__x86_64__)
  // the compiler's own test, which asks whether the system saves the registers too; it wants literals
#define TRITCHECK_FEATURE(name) \
  if (feature == (name)) return __builtin_cpu_supports(name) != 0
  TRITCHECK_FEATURE("sse3");
  TRITCHECK_FEATURE("ssse3");
  TRITCHECK_FEATURE("sse4.1");
  TRITCHECK_FEATURE("sse4.2");
  TRITCHECK_FEATURE("avx");
  TRITCHECK_FEATURE("avx2");
  TRITCHECK_FEATURE("fma");
  TRITCHECK_FEATURE("bmi2");
  TRITCHECK_FEATURE("avx512f");
  TRITCHECK_FEATURE("avx512bw");
  TRITCHECK_FEATURE("avx512dq");
  TRITCHECK_FEATURE("avx512vl");
  TRITCHECK_FEATURE("avx512vbmi");
  TRITCHECK_FEATURE("avx512vnni");
#undef TRITCHECK_FEATURE
#elif defined(__aarch64__)
  struct Bit {
    const char* name;
    unsigned long word;
    int bit;
  };
  // Linux, Documentation/arm64/elf_hwcaps: bits of AT_HWCAP and AT_HWCAP2
  constexpr Bit bits[] = {{"asimd", AT_HWCAP, 1},    {"neon", AT_HWCAP, 1},     {"asimdhp", AT_HWCAP, 10},
                          {"asimddp", AT_HWCAP, 20}, {"dotprod", AT_HWCAP, 20}, {"sve", AT_HWCAP, 22},
                          {"sve2", AT_HWCAP2, 1},    {"i8mm", AT_HWCAP2, 13},   {"bf16", AT_HWCAP2, 14},
                          {"sme", AT_HWCAP2, 23}};
  for (const Bit& b : bits) {
    if (feature == b.name) return (getauxval(b.word) >> b.bit & 1) != 0;
  }
#endif
  return std::nullopt;
}

}  // namespace

std::string why_not_on_this_cpu(const std::string& needs) {
  std::istringstream words(needs);
  std::string unknown;
  for (std::string feature; words >> feature;) {
    const std::optional<bool> present = has(feature);
    if (!present && unknown.empty()) unknown = "it needs '" + feature + "', a CPU feature that is not known here";
    if (present == false) return "cpu lacks " + feature;
  }
  return unknown;
}

}  // namespace tritcheck
