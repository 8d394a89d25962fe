// CPU features and dispatch, with every bit mocked: what the CPU or the system does not offer is never selected.
#include "kernels/dispatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <stdexcept>
#include <vector>

namespace tritcheck {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr Features kAllX86{.ssse3 = true, .avx = true, .f16c = true, .fma = true, .avx2 = true};
constexpr Features kAllArm{.neon = true, .dotprod = true};

TEST(Features, Text) {
  EXPECT_EQ(to_string(Features{}), "none");
  EXPECT_EQ(to_string(kAllX86), "ssse3 avx2 fma");
  EXPECT_EQ(to_string(features_of({.hwcap = 0x8fb})), "neon hwcap=0x8fb");
}

TEST(Features, WhyNot) {
  const Kernel avx2{"k", Isa::avx2, Via::native, {}};
  EXPECT_EQ(why_not(avx2, kAllX86), "");
  EXPECT_EQ(why_not(avx2, {.ssse3 = true}), "cpu lacks avx2");
  const Kernel fma{"k", Isa::fma, Via::native, {}};
  EXPECT_EQ(why_not(fma, kAllX86), "");
  EXPECT_EQ(why_not(fma, {.avx2 = true}), "cpu lacks fma");
  EXPECT_EQ(why_not(fma, {.fma = true}), "cpu lacks fma");  // it has FMA, but the kernels use AVX2 too
  EXPECT_EQ(why_not({"k", Isa::dotprod, Via::simde, {}}, {}), "");
  EXPECT_EQ(why_not({"k", Isa::dotprod, Via::absent, {}}, kAllArm), "not compiled for this architecture");
}

// A registry in which everything is native, weakest last, so that neither order nor architecture helps.
std::vector<Kernel> mock_registry() {
  std::vector<Kernel> list;
  for (auto isa = kIsas.rbegin(); isa != kIsas.rend(); ++isa) {
    list.push_back({name(*isa), *isa, Via::native, i2_s_contract(Op::dot, Layout::x86_128)});
  }
  return list;
}

std::string_view selected(const Features& features, const IsaList& allow = {}) {
  static const std::vector<Kernel> registry = mock_registry();
  const Kernel* kernel = select(Op::dot, Layout::x86_128, features, allow, registry);
  return kernel == nullptr ? "nothing" : kernel->name;
}

TEST(Dispatch, BestSupported) {
  EXPECT_EQ(selected(kAllX86), "fma");
  EXPECT_EQ(selected({.ssse3 = true, .avx2 = true}), "avx2");
  EXPECT_EQ(selected({.ssse3 = true}), "ssse3");
  EXPECT_EQ(selected({}), "scalar");
  EXPECT_EQ(selected(kAllArm), "dotprod");
  EXPECT_EQ(selected({.neon = true}), "neon");
}

TEST(Dispatch, AllowList) {
  EXPECT_EQ(selected(kAllX86, {Isa::ssse3}), "ssse3");
  EXPECT_EQ(selected(kAllX86, {Isa::ssse3, Isa::avx2}), "avx2");
  EXPECT_EQ(selected(kAllX86, {Isa::scalar}), "scalar");
  EXPECT_EQ(selected(kAllX86, {Isa::neon}), "scalar");  // allowed is not supported
  EXPECT_EQ(selected(kAllArm, {Isa::neon}), "neon");
}

TEST(Dispatch, NeverThroughSimdeNorAbsentNorForAnotherPurpose) {
  std::vector<Kernel> registry = mock_registry();
  for (size_t i = 0; i + 1 < registry.size(); ++i) {  // all but scalar
    if (i % 4 == 0) registry[i].via = Via::simde;
    if (i % 4 == 1) registry[i].via = Via::absent;
    if (i % 4 == 2) registry[i].contract.op = Op::rows;
    if (i % 4 == 3) registry[i].contract.layout = Layout::linear;
  }
  Features everything;
  for (const CpuFeature& f : kCpuFeatures) everything.*f.present = true;
  const Kernel* kernel = select(Op::dot, Layout::x86_128, everything, {}, registry);
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->name, "scalar");
  EXPECT_EQ(select(Op::gemv, Layout::x86_128, everything, {}, registry), nullptr);
}

TEST(Dispatch, RealRegistryServesEveryOperationOnAnyMachine) {
  std::set<std::pair<Op, Layout>> served;
  for (const Kernel& kernel : kernels()) {
    if (kernel.contract.op == Op::vec_dot) continue;
    if (kernel.isa == Isa::scalar) served.insert({kernel.contract.op, kernel.contract.layout});
  }
  EXPECT_EQ(served.size(), 14U);  // four operations of three layouts, two of rows_1x4
  for (const Kernel& kernel : kernels()) {
    if (kernel.contract.op == Op::vec_dot) continue;
    EXPECT_TRUE(served.contains({kernel.contract.op, kernel.contract.layout})) << kernel.name << " has no scalar twin";
  }
  for (const auto& [op, layout] : served) {
    for (const Features& f :
         {Features{}, Features{.ssse3 = true}, kAllX86, Features{.neon = true}, kAllArm, detect()}) {
      for (const IsaList& allow : {IsaList{}, IsaList{Isa::scalar}, IsaList{Isa::dotprod}}) {
        const Kernel* kernel = select(op, layout, f, allow);
        ASSERT_NE(kernel, nullptr) << name(op) << " " << name(layout) << " on " << to_string(f);
        EXPECT_TRUE(supports(f, kernel->isa)) << kernel->name;
        EXPECT_TRUE(kernel->dot != nullptr || kernel->gemv != nullptr) << kernel->name;
      }
    }
  }
}

TEST(Dispatch, FormatsOfBlocksAreServedOnAnyMachineAndApartFromI2S) {
  std::set<std::string_view> served;
  for (const Kernel& kernel : kernels()) {
    if (kernel.contract.op == Op::vec_dot) served.insert(kernel.format);
  }
  EXPECT_EQ(served, (std::set<std::string_view>{"tq1_0", "tq2_0"}));
  for (const std::string_view format : served) {
    for (const Features& f : {Features{}, kAllX86, Features{.neon = true}, kAllArm, detect()}) {
      const Kernel* kernel = select_vec_dot(format, f);
      ASSERT_NE(kernel, nullptr) << format << " on " << to_string(f);
      EXPECT_EQ(kernel->format, format);
      EXPECT_NE(kernel->vec_dot, nullptr);
      EXPECT_EQ(select_vec_dot(format, f, IsaList{Isa::scalar})->isa, Isa::scalar);
    }
  }
  EXPECT_EQ(select_vec_dot("q4_K", kAllX86), nullptr);
  EXPECT_EQ(select(Op::vec_dot, Layout::x86_128, kAllX86), nullptr);
  // a stronger kernel of blocks is no reason to take it for I2_S
  std::vector<Kernel> registry{{"blocks", Isa::avx2, Via::native, vec_dot_contract("tq2_0")},
                               {"i2_s", Isa::scalar, Via::native, i2_s_contract(Op::dot, Layout::x86_128)}};
  registry[0].format = "tq2_0";
  EXPECT_EQ(select(Op::dot, Layout::x86_128, kAllX86, {}, registry), &registry[1]);
  EXPECT_EQ(select_vec_dot("tq2_0", kAllX86, {}, registry), &registry[0]);
}

#if defined(__x86_64__)
TEST(Dispatch, X86WithoutAvx2GetsSsse3) {
  for (Op op : {Op::dot, Op::rows, Op::acts, Op::gemv}) {
    EXPECT_EQ(select(op, Layout::x86_128, {.ssse3 = true})->isa, Isa::ssse3);
    EXPECT_EQ(select(op, Layout::x86_128, {})->isa, Isa::scalar);
    EXPECT_EQ(select(op, Layout::x86_128, kAllX86)->isa, Isa::avx2);
  }
}
#endif

TEST(IsaList, Parses) {
  EXPECT_EQ(parse_isa_list(""), IsaList{});
  EXPECT_EQ(parse_isa_list(" avx2, ssse3"), (IsaList{Isa::avx2, Isa::ssse3}));
  EXPECT_THAT([] { parse_isa_list("avx2,sse9"); },
              ThrowsMessage<std::invalid_argument>(AllOf(HasSubstr("\"sse9\""), HasSubstr("scalar, ssse3, avx2"))));
  EXPECT_THROW(parse_isa_list("avx2,"), std::invalid_argument);
  EXPECT_THROW(parse_isa_list(","), std::invalid_argument);
}

TEST(IsaList, FromTheEnvironment) {
  setenv("TRITCHECK_ISA", "scalar,neon", 1);
  EXPECT_EQ(isa_from_environment(), (IsaList{Isa::scalar, Isa::neon}));
  setenv("TRITCHECK_ISA", "AVX2", 1);
  EXPECT_THAT([] { isa_from_environment(); }, ThrowsMessage<std::invalid_argument>(HasSubstr("TRITCHECK_ISA: ")));
  unsetenv("TRITCHECK_ISA");
  EXPECT_EQ(isa_from_environment(), IsaList{});
}

}  // namespace
}  // namespace tritcheck
