#include "kernels/cpu_features.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace tritcheck {
namespace {

constexpr uint64_t kOsxsave = uint64_t{1} << 27;  // CPUID.1:ECX
constexpr uint64_t kXmmYmm = 0x6;                 // XCR0
constexpr uint64_t kMasksZmm = 0xe0;
constexpr uint64_t kTiles = 0x60000;
constexpr uint64_t kAsimd = uint64_t{1} << 1;  // AT_HWCAP

bool has(uint64_t word, uint64_t bits) {
  return (word & bits) == bits;
}

bool own_bit(const CpuWords& words, bool Features::*present) {
  for (const CpuFeature& f : kCpuFeatures) {
    if (f.present == present) return has(words.*f.word, uint64_t{1} << f.bit);
  }
  return false;
}

// A leaf above the last one that exists answers with the words of another.
CpuWords existing(CpuWords words) {
  if (words.max_leaf < 7) words.max_leaf7 = words.leaf7_ebx = words.leaf7_ecx = words.leaf7_edx = 0;
  if (words.max_leaf < 7 || words.max_leaf7 < 1) words.leaf7_1_eax = words.leaf7_1_edx = 0;
  if (words.max_extended < 0x80000001) words.ext1_ecx = 0;
  if (!has(words.leaf1_ecx, kOsxsave)) words.xcr0 = 0;
  return words;
}

bool holds(State state, const CpuWords& words) {
  switch (state) {
    case State::always:
      return true;
    case State::ymm:
      return own_bit(words, &Features::avx) && has(words.xcr0, kXmmYmm);
    case State::zmm:
      return holds(State::ymm, words) && own_bit(words, &Features::avx512f) && has(words.xcr0, kMasksZmm);
    case State::tile:
      return own_bit(words, &Features::amx_tile) && has(words.xcr0, kTiles);
    case State::asimd:
      return has(words.hwcap, kAsimd);
  }
  return false;
}

#if defined(__x86_64__)
uint64_t read_xcr0() {
  uint32_t low = 0;
  uint32_t high = 0;
  // not the intrinsic: that wants -mxsave
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}
#endif

}  // namespace

Features features_of(const CpuWords& raw) {
  const CpuWords words = existing(raw);
  Features features;
  for (const CpuFeature& f : kCpuFeatures) {
    features.*f.present = has(words.*f.word, uint64_t{1} << f.bit) && holds(f.state, words);
  }
  features.hwcap = words.hwcap;
  return features;
}

CpuWords read_cpu() {
  CpuWords words;
#if defined(__x86_64__)
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
  uint32_t d = 0;
  words.max_leaf = __get_cpuid_max(0, nullptr);
  words.max_extended = __get_cpuid_max(0x80000000, nullptr);
  if (__get_cpuid(1, &a, &b, &c, &d)) {
    words.leaf1_ecx = c;
    words.leaf1_edx = d;
  }
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    words.max_leaf7 = a;
    words.leaf7_ebx = b;
    words.leaf7_ecx = c;
    words.leaf7_edx = d;
  }
  if (words.max_leaf7 >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) {
    words.leaf7_1_eax = a;
    words.leaf7_1_edx = d;
  }
  if (__get_cpuid(0x80000001, &a, &b, &c, &d)) words.ext1_ecx = c;
  if (has(words.leaf1_ecx, kOsxsave)) words.xcr0 = read_xcr0();
#elif defined(__aarch64__) && defined(__linux__)
  words.hwcap = getauxval(AT_HWCAP);
  words.hwcap2 = getauxval(AT_HWCAP2);
#elif defined(__aarch64__)
  words.hwcap = kAsimd;  // nobody to ask here; NEON is part of the architecture's baseline
#endif
  return words;
}

}  // namespace tritcheck
