#include "kernels/features.h"

#include <cstdio>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace tritcheck {
namespace {

constexpr uint32_t kSsse3 = 1U << 9;     // CPUID.1:ECX
constexpr uint32_t kFma = 1U << 12;      // CPUID.1:ECX
constexpr uint32_t kOsxsave = 1U << 27;  // CPUID.1:ECX
constexpr uint32_t kAvx = 1U << 28;      // CPUID.1:ECX
constexpr uint32_t kF16c = 1U << 29;     // CPUID.1:ECX
constexpr uint32_t kAvx2 = 1U << 5;      // CPUID.(7,0):EBX
constexpr uint64_t kXmmYmm = 6;          // XCR0 bits 1 and 2

// our own, because old headers lack some
constexpr uint64_t kAsimd = uint64_t{1} << 1;
constexpr uint64_t kAsimdDp = uint64_t{1} << 20;

#if defined(__x86_64__)
uint64_t read_xcr0() {
  uint32_t low = 0;
  uint32_t high = 0;
  // not the intrinsic: that wants -mxsave
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

CpuidWords read_cpuid() {
  CpuidWords words;
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
  uint32_t d = 0;
  words.max_leaf = __get_cpuid_max(0, nullptr);
  if (__get_cpuid(1, &a, &b, &c, &d)) words.leaf1_ecx = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) words.leaf7_ebx = b;
  if (words.leaf1_ecx & kOsxsave) words.xcr0 = read_xcr0();
  return words;
}
#endif

}  // namespace

Features x86_features(const CpuidWords& words) {
  Features f;
  f.ssse3 = (words.leaf1_ecx & kSsse3) != 0;
  const bool ymm_saved =
      (words.leaf1_ecx & kOsxsave) != 0 && (words.leaf1_ecx & kAvx) != 0 && (words.xcr0 & kXmmYmm) == kXmmYmm;
  f.avx2 = ymm_saved && words.max_leaf >= 7 && (words.leaf7_ebx & kAvx2) != 0;
  f.fma = ymm_saved && (words.leaf1_ecx & kFma) != 0;
  f.f16c = ymm_saved && (words.leaf1_ecx & kF16c) != 0;
  return f;
}

Features arm_features(uint64_t hwcap) {
  Features f;
  f.hwcap = hwcap;
  f.neon = (hwcap & kAsimd) != 0;
  f.dotprod = f.neon && (hwcap & kAsimdDp) != 0;
  return f;
}

Features detect() {
#if defined(__x86_64__)
  return x86_features(read_cpuid());
#elif defined(__aarch64__) && defined(__linux__)
  return arm_features(getauxval(AT_HWCAP));
#elif defined(__aarch64__)
  return arm_features(kAsimd);  // no HWCAP here; NEON is part of the architecture's baseline
#else
  return {};
#endif
}

std::string to_string(const Features& features) {
  std::string text;
  for (Isa isa : {Isa::ssse3, Isa::avx2, Isa::fma, Isa::neon, Isa::dotprod}) {
    if (!supports(features, isa)) continue;
    if (!text.empty()) text += ' ';
    text += name(isa);
  }
  if (text.empty()) text = "none";
  if (features.hwcap != 0) {
    char hex[32];
    std::snprintf(hex, sizeof hex, " hwcap=0x%llx", static_cast<unsigned long long>(features.hwcap));
    text += hex;
  }
  return text;
}

bool supports(const Features& features, Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return true;
    case Isa::ssse3:
      return features.ssse3;
    case Isa::avx2:
      return features.avx2;
    case Isa::fma:
      return features.avx2 && features.fma;
    case Isa::neon:
      return features.neon;
    case Isa::dotprod:
      return features.dotprod;
  }
  return false;
}

std::string why_not(const Kernel& kernel, const Features& features) {
  if (kernel.via == Via::absent) return "not compiled for this architecture";
  if (kernel.via == Via::native && !supports(features, kernel.isa)) return "cpu lacks " + std::string(name(kernel.isa));
  return {};
}

}  // namespace tritcheck
