#include "harness/runner/library/cpu_names.h"

#include <algorithm>
#include <sstream>
#include <vector>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace tritcheck {
namespace {

struct Feature {
  const char* name;
  bool present;
};

std::vector<Feature> features() {
#if defined(__x86_64__)
  // the compiler's own test, which asks whether the system saves the registers too; it wants literals
#define TRITCHECK_FEATURE(name) \
  { name, __builtin_cpu_supports(name) != 0 }
  return {TRITCHECK_FEATURE("sse3"),       TRITCHECK_FEATURE("ssse3"),     TRITCHECK_FEATURE("sse4.1"),
          TRITCHECK_FEATURE("sse4.2"),     TRITCHECK_FEATURE("avx"),       TRITCHECK_FEATURE("avx2"),
          TRITCHECK_FEATURE("fma"),        TRITCHECK_FEATURE("bmi2"),      TRITCHECK_FEATURE("avx512f"),
          TRITCHECK_FEATURE("avx512bw"),   TRITCHECK_FEATURE("avx512dq"),  TRITCHECK_FEATURE("avx512vl"),
          TRITCHECK_FEATURE("avx512vbmi"), TRITCHECK_FEATURE("avx512vnni")};
#undef TRITCHECK_FEATURE
#elif defined(__aarch64__)
  // Linux, Documentation/arm64/elf_hwcaps: bits of AT_HWCAP and AT_HWCAP2
  const auto bit = [](unsigned long word, int n) { return (getauxval(word) >> n & 1) != 0; };
  return {{"asimd", bit(AT_HWCAP, 1)},    {"neon", bit(AT_HWCAP, 1)},     {"asimdhp", bit(AT_HWCAP, 10)},
          {"asimddp", bit(AT_HWCAP, 20)}, {"dotprod", bit(AT_HWCAP, 20)}, {"sve", bit(AT_HWCAP, 22)},
          {"sve2", bit(AT_HWCAP2, 1)},    {"i8mm", bit(AT_HWCAP2, 13)},   {"bf16", bit(AT_HWCAP2, 14)},
          {"sme", bit(AT_HWCAP2, 23)}};
#else
  return {};
#endif
}

}  // namespace

std::string why_not_on_this_cpu(const std::string& needs) {
  const std::vector<Feature> known = features();
  std::istringstream words(needs);
  std::string unknown;
  for (std::string word; words >> word;) {
    const auto found = std::find_if(known.begin(), known.end(), [&](const Feature& f) { return f.name == word; });
    if (found != known.end() && !found->present) return "cpu lacks " + word;
    if (found != known.end() || !unknown.empty()) continue;
    unknown = "it needs '" + word + "', a CPU feature that is not known here; known are";
    for (const Feature& f : known) unknown += std::string(" ") + f.name;
  }
  return unknown;
}

}  // namespace tritcheck
