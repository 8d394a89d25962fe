// The tables of CPU features and instruction sets: every bit is needed and none but its own, every spelling is known.
#include "kernels/cpu_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "kernels/features.h"

namespace tritcheck {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr uint64_t kEvery = ~uint64_t{0};
constexpr CpuWords kEverything{kEvery, kEvery, kEvery, kEvery, kEvery, kEvery, kEvery,
                               kEvery, kEvery, kEvery, kEvery, kEvery, kEvery, kEvery};

std::set<std::string_view> present(const Features& features) {
  std::set<std::string_view> names;
  for (const CpuFeature& f : kCpuFeatures) {
    if (features.*f.present) names.insert(f.name);
  }
  return names;
}

std::set<std::string_view> lost(const CpuWords& words) {
  std::set<std::string_view> names;
  const Features features = features_of(words);
  for (const CpuFeature& f : kCpuFeatures) {
    if (!(features.*f.present)) names.insert(f.name);
  }
  return names;
}

std::set<std::string_view> of_state(std::initializer_list<State> states) {
  std::set<std::string_view> names;
  for (const CpuFeature& f : kCpuFeatures) {
    if (std::find(states.begin(), states.end(), f.state) != states.end()) names.insert(f.name);
  }
  return names;
}

CpuWords without(CpuWords words, uint64_t CpuWords::*word, int bit) {
  words.*word &= ~(uint64_t{1} << bit);
  return words;
}

TEST(CpuFeatures, EachNeedsItsBit) {
  EXPECT_TRUE(lost(kEverything).empty());
  EXPECT_TRUE(present(features_of({})).empty());
  const std::map<std::string_view, std::set<std::string_view>> others = {
      {"avx", of_state({State::ymm, State::zmm})},
      {"avx512f", of_state({State::zmm})},
      {"amx_tile", of_state({State::tile})},
      {"neon", of_state({State::asimd})},
  };
  for (const CpuFeature& f : kCpuFeatures) {
    std::set<std::string_view> expected = {f.name};
    if (others.contains(f.name)) expected.insert(others.at(f.name).begin(), others.at(f.name).end());
    EXPECT_EQ(lost(without(kEverything, f.word, f.bit)), expected) << f.name;
  }
}

TEST(CpuFeatures, NoTwoShareABitOrASpelling) {
  std::map<std::string, std::string_view> owner;
  for (const CpuFeature& f : kCpuFeatures) {
    for (const CpuFeature& g : kCpuFeatures) {
      EXPECT_TRUE(&f == &g || f.word != g.word || f.bit != g.bit) << f.name << " and " << g.name;
    }
    std::istringstream spellings(std::string(f.name) + ' ' + std::string(f.spellings));
    for (std::string word; spellings >> word;) {
      ASSERT_NE(cpu_feature_of(word), nullptr) << word;
      EXPECT_EQ(cpu_feature_of(word)->name, f.name) << word;
      EXPECT_TRUE(owner.emplace(word, f.name).second) << word << " of " << f.name << " and " << owner[word];
    }
  }
}

TEST(CpuFeatures, WhatTheSystemDoesNotSaveIsNotThere) {
  const auto vectors = of_state({State::ymm, State::zmm});
  auto saved = vectors;
  saved.merge(of_state({State::tile}));
  EXPECT_EQ(lost(without(kEverything, &CpuWords::leaf1_ecx, 27)), saved);  // OSXSAVE
  for (const int bit : {1, 2}) EXPECT_EQ(lost(without(kEverything, &CpuWords::xcr0, bit)), vectors) << bit;
  for (const int bit : {5, 6, 7}) {
    EXPECT_EQ(lost(without(kEverything, &CpuWords::xcr0, bit)), of_state({State::zmm})) << bit;
  }
  for (const int bit : {17, 18}) {
    EXPECT_EQ(lost(without(kEverything, &CpuWords::xcr0, bit)), of_state({State::tile})) << bit;
  }
}

TEST(CpuFeatures, LeavesThatDoNotExistSayNothing) {
  const auto in = [](std::initializer_list<uint64_t CpuWords::*> words) {
    std::set<std::string_view> names;
    for (const CpuFeature& f : kCpuFeatures) {
      if (std::find(words.begin(), words.end(), f.word) != words.end()) names.insert(f.name);
    }
    return names;
  };
  CpuWords words = kEverything;
  words.max_leaf7 = 0;
  EXPECT_EQ(lost(words), in({&CpuWords::leaf7_1_eax, &CpuWords::leaf7_1_edx}));
  words = kEverything;
  words.max_leaf = 6;
  auto gone = in({&CpuWords::leaf7_ebx, &CpuWords::leaf7_ecx, &CpuWords::leaf7_edx, &CpuWords::leaf7_1_eax,
                  &CpuWords::leaf7_1_edx});
  gone.merge(of_state({State::zmm, State::tile}));
  EXPECT_EQ(lost(words), gone);
  words = kEverything;
  words.max_extended = 0x80000000;
  EXPECT_EQ(lost(words), in({&CpuWords::ext1_ecx}));
}

// Whole machines, so that a wrong bit in the table is seen and not repeated.
TEST(CpuFeatures, KnownMachines) {
  const CpuWords haswell{.max_leaf = 13,
                         .leaf1_ecx = 0x7ffafbff,
                         .leaf1_edx = 0xbfebfbff,
                         .leaf7_ebx = 0x27ab,
                         .max_extended = 0x80000008,
                         .ext1_ecx = 0x21,
                         .xcr0 = 7};
  EXPECT_EQ(present(features_of(haswell)),
            (std::set<std::string_view>{"sse", "sse2", "sse3", "ssse3", "sse4_1", "sse4_2", "popcnt", "lzcnt", "bmi1",
                                        "bmi2", "avx", "f16c", "fma", "avx2"}));
  EXPECT_EQ(present(features_of({.hwcap = 0x8fb})), (std::set<std::string_view>{"neon"}));  // Cortex-A53
  EXPECT_EQ(present(features_of({.hwcap = 0x119fff})),                                      // Neoverse N1
            (std::set<std::string_view>{"neon", "fp16", "rdm", "dotprod"}));
  EXPECT_EQ(present(features_of({.hwcap = uint64_t{1} << 20})), std::set<std::string_view>{});
}

// What the system says of this machine, in its own words; it may leave out what it does not know.
TEST(CpuFeatures, AllThatTheSystemListsIsDetected) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line) && !line.starts_with("flags") && !line.starts_with("Features")) {
  }
  if (!file) GTEST_SKIP() << "no features in /proc/cpuinfo";
  std::istringstream words(line.substr(line.find(':') + 1));
  for (std::string word; words >> word;) {
    const CpuFeature* f = cpu_feature_of(word);
    if (f == nullptr || f->arch != kThisArch) continue;
    EXPECT_TRUE(detect().*f->present) << word;
  }
}

#if defined(__x86_64__)
TEST(CpuFeatures, DetectionAgreesWithTheCompilersOwn) {
  // it wants literals
#define EXPECT_AGREED(word) \
  EXPECT_EQ(detect().*cpu_feature_of(word)->present, __builtin_cpu_supports(word) != 0) << word
  EXPECT_AGREED("sse");
  EXPECT_AGREED("sse2");
  EXPECT_AGREED("sse3");
  EXPECT_AGREED("ssse3");
  EXPECT_AGREED("sse4.1");
  EXPECT_AGREED("sse4.2");
  EXPECT_AGREED("popcnt");
  EXPECT_AGREED("bmi");
  EXPECT_AGREED("bmi2");
  EXPECT_AGREED("gfni");
  EXPECT_AGREED("avx");
  EXPECT_AGREED("fma");
  EXPECT_AGREED("avx2");
  EXPECT_AGREED("avx512f");
  EXPECT_AGREED("avx512cd");
  EXPECT_AGREED("avx512bw");
  EXPECT_AGREED("avx512dq");
  EXPECT_AGREED("avx512vl");
  EXPECT_AGREED("avx512ifma");
  EXPECT_AGREED("avx512vbmi");
  EXPECT_AGREED("avx512vbmi2");
  EXPECT_AGREED("avx512vnni");
  EXPECT_AGREED("avx512bitalg");
  EXPECT_AGREED("avx512vpopcntdq");
  EXPECT_AGREED("avx512bf16");
#undef EXPECT_AGREED
}
#endif

TEST(CpuFeatures, SpellingsPeopleCopy) {
  const std::map<std::string_view, std::set<std::string_view>> spellings = {
      {"sse3", {"pni", "SSE3", "-msse3"}},
      {"sse4_1", {"sse4.1", "sse4_1", "SSE41", "-msse4.1", "__SSE4_1__"}},
      {"avx2", {"AVX2", "-mavx2", "__AVX2__"}},
      {"fma", {"FMA", "fma3", "-mfma"}},
      {"f16c", {"F16C", "__F16C__"}},
      {"bmi1", {"bmi", "BMI1"}},
      {"avxvnni", {"avx_vnni", "AVX_VNNI", "AVX-VNNI", "-mavxvnni"}},
      {"avx512f", {"AVX512F", "AVX-512F", "avx512", "__AVX512F__"}},
      {"avx512vnni", {"avx512_vnni", "AVX512_VNNI", "-mavx512vnni"}},
      {"avx512bf16", {"avx512_bf16", "AVX512_BF16"}},
      {"avx512vbmi2", {"avx512_vbmi2"}},
      {"avx512vpopcntdq", {"avx512_vpopcntdq"}},
      {"amx_tile", {"amx-tile", "AMX_TILE", "-mamx-tile"}},
      {"amx_int8", {"amx_int8", "AMX-INT8"}},
      {"neon", {"asimd", "NEON", "simd", "FEAT_AdvSIMD", "ARM_FMA"}},
      {"dotprod", {"asimddp", "DOTPROD", "FEAT_DotProd", "__ARM_FEATURE_DOTPROD"}},
      {"fp16", {"asimdhp", "fphp", "FEAT_FP16", "FP16_VA", "__ARM_FEATURE_FP16_VECTOR_ARITHMETIC"}},
      {"i8mm", {"I8MM", "FEAT_I8MM", "MATMUL_INT8", "__ARM_FEATURE_MATMUL_INT8"}},
      {"bf16", {"BF16", "FEAT_BF16"}},
      {"sve2", {"SVE2", "FEAT_SVE2", "__ARM_FEATURE_SVE2"}},
      {"sme", {"SME", "FEAT_SME"}},
  };
  for (const auto& [feature, words] : spellings) {
    for (const std::string_view word : words) {
      ASSERT_NE(cpu_feature_of(word), nullptr) << word;
      EXPECT_EQ(cpu_feature_of(word)->name, feature) << word;
    }
  }
  for (const char* word : {"", "-", "-m", "warp9", "mavx2", "avx5", "feat", "avx 2"}) {
    EXPECT_EQ(cpu_feature_of(word), nullptr) << word;
  }
}

TEST(CpuFeatures, Needs) {
  const Features features{.ssse3 = true, .fma = true, .avx2 = true, .dotprod = true};
  EXPECT_EQ(why_not("", features), "");
  EXPECT_EQ(why_not(" \t,+ ", features), "");
  for (const char* needs : {"avx2 fma", "AVX2,FMA", "avx2+fma", "-mavx2 -mfma", " avx2 , asimddp\n"}) {
    EXPECT_EQ(why_not(needs, features), "") << needs;
  }
  EXPECT_EQ(why_not("avx2 AVX512_VNNI i8mm", features), "cpu lacks AVX512_VNNI");
  EXPECT_EQ(why_not("warp9 i8mm", features), "cpu lacks i8mm");
  EXPECT_THAT(
      why_not("avx2 warp9 warp8", features),
      AllOf(HasSubstr("needs 'warp9', a CPU feature that is not known here; known are "), Not(HasSubstr("warp8"))));
#if defined(__x86_64__)
  EXPECT_THAT(why_not("warp9", features), AllOf(HasSubstr(" avx512vnni"), Not(HasSubstr("dotprod"))));
#elif defined(__aarch64__)
  EXPECT_THAT(why_not("warp9", features), AllOf(HasSubstr(" dotprod"), Not(HasSubstr("avx2"))));
#endif
}

TEST(Isas, EachLineIsOfOneArchitecture) {
  for (const Isa isa : kIsas) {
    std::istringstream words{std::string(isa_line(isa).features)};
    for (std::string word; words >> word;) {
      const CpuFeature* f = cpu_feature_of(word);
      ASSERT_NE(f, nullptr) << name(isa) << " needs " << word;
      EXPECT_EQ(f->arch, isa_line(isa).native) << name(isa) << " needs " << word;
    }
    EXPECT_EQ(isa_line(isa).features.empty(), isa_line(isa).native == Arch::any) << name(isa);
  }
  EXPECT_EQ(kIsas.front(), Isa::scalar);
}

}  // namespace
}  // namespace tritcheck
