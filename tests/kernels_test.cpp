// Every I2_S kernel that can run in this process, SIMDe ones included, against both oracles: the developer's quick
// loop.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <set>
#include <tuple>

#include "harness/bench/direct.h"
#include "kernels/features.h"
#include "reference/dot.h"
#include "reference/prng.h"
#include "tests/printers.h"

namespace tritcheck {
namespace {

using direct::check;
using direct::expected;
using direct::Problem;

std::vector<Kernel> runnable() {
  std::vector<Kernel> list;
  for (const Kernel& kernel : kernels()) {
    if (kernel.format == "i2_s" && why_not(kernel, detect()).empty()) list.push_back(kernel);
  }
  return list;
}

class EveryKernel : public testing::TestWithParam<Kernel> {
 protected:
  // All weights the code, all activations q (or q and other in turn). Nine activation rows, so that kernels which take
  // several at once do, and do the one left over too.
  static Problem constant(const Contract& contract, int64_t k, int code, int q, int other) {
    Problem p;
    p.shape = {k, contract.row_multiple};
    p.nrows = p.shape.rows;
    p.acts = contract.op == Op::acts ? 9 : 1;
    p.codes.assign(static_cast<size_t>(i2_s::code_bytes(p.shape)), static_cast<uint8_t>(code * 0x55));
    for (int64_t i = 0; i < k * p.acts; ++i) p.q.push_back(static_cast<int8_t>(i % 2 == 0 ? q : other));
    return p;
  }
};

TEST_P(EveryKernel, RandomCalls) {
  const Kernel& kernel = GetParam();
  const Contract& c = kernel.contract;
  const bool right = rc::check("matches both oracles", [&] {
    Problem p;
    p.shape.k = c.k_multiple * *rc::gen::inRange<int64_t>(1, c.k_multiple == 128 ? 24 : 200);
    p.shape.rows = c.row_multiple * *rc::gen::inRange<int64_t>(c.op == Op::rows ? 0 : 1, 10);
    p.acts = c.op == Op::acts ? *rc::gen::inRange(0, 20) : 1;
    p.w_pad = *rc::gen::inRange<size_t>(0, 40);
    p.q_pad = *rc::gen::inRange<size_t>(0, 40);
    p.out_stride = *rc::gen::inRange<size_t>(1, 4);
    p.w_offset = *rc::gen::inRange<size_t>(0, 64);
    p.q_offset = *rc::gen::inRange<size_t>(0, 64);
    p.w_scale = *rc::gen::element(0.75F, 1.1F, -0.3F, 1e-30F);
    p.act_scale = *rc::gen::element(3.0F, 0.7F, 127.0F, 1.27e7F);
    const int64_t units = p.shape.rows / c.row_multiple;
    p.row0 = c.row_multiple * *rc::gen::inRange<int64_t>(0, units + 1);
    p.nrows = c.row_multiple * *rc::gen::inRange<int64_t>(0, units - p.row0 / c.row_multiple + 1);
    Prng rng(*rc::gen::arbitrary<uint64_t>());
    const int fill = *rc::gen::inRange(0, 3);  // all byte values; mostly the largest products; ternary codes only
    p.codes.resize(p.shape.rows == 0 ? 0 : static_cast<size_t>(i2_s::code_bytes(p.shape)));
    for (uint8_t& b : p.codes) {
      b = static_cast<uint8_t>(fill == 1 && rng.below(8) != 0 ? 0xFF : rng.below(256));
      if (fill == 2) b = static_cast<uint8_t>(b & ~(b & b >> 1 & 0x55));
    }
    p.q.resize(static_cast<size_t>(p.acts * p.shape.k));
    for (int8_t& q : p.q) q = static_cast<int8_t>(fill == 1 && rng.below(8) != 0 ? -128 : rng.between(-128, 127));
    if (const auto wrong = check(kernel, p)) RC_FAIL(*wrong);
  });
  EXPECT_TRUE(right);
}

TEST_P(EveryKernel, ExtremesAroundEveryOverflowBound) {
  const Contract& c = GetParam().contract;
  // 96 vectors of 64 weights pass every widening interval in use; one step more and one less than a multiple of it too
  const int64_t step = c.layout == Layout::linear ? 60 : c.layout == Layout::rows_1x4 ? 15 : c.k_multiple;
  const int64_t steps = c.layout == Layout::rows_1x4 ? 240 : 96;
  for (int64_t n = 1; n <= steps; ++n) {
    for (const auto& [code, q, other] : {std::tuple{3, -128, -128}, {3, 127, 127}, {2, 127, 127}, {3, -128, 127}}) {
      ASSERT_EQ(check(GetParam(), constant(c, n * step, code, q, other)), std::nullopt)
          << "code " << code << " q " << q << " " << other;
    }
  }
}

TEST_P(EveryKernel, LargestK) {
  const Contract& c = GetParam().contract;
  EXPECT_EQ(check(GetParam(), constant(c, c.k_max, 3, -128, -128)), std::nullopt);
  EXPECT_EQ(check(GetParam(), constant(c, c.k_max, 3, 127, 127)), std::nullopt);
}

TEST_P(EveryKernel, TheNumberOfThePublicOverflow) {
  Problem p = constant(GetParam().contract, 2176, 2, 127, 127);
  p.act_scale = 1.0F;
  p.w_scale = 0.5F;
  const std::vector<uint32_t> right = expected(GetParam(), p);
  EXPECT_EQ(right[0], GetParam().contract.op == Op::gemv ? std::bit_cast<uint32_t>(276352 * 0.5F) : 552704U);
  EXPECT_EQ(check(GetParam(), p), std::nullopt);
}

TEST_P(EveryKernel, EveryPositionForItself) {
  const Contract& c = GetParam().contract;
  const int64_t k = c.layout == Layout::linear ? 140 : c.layout == Layout::rows_1x4 ? 37 : 2 * c.k_multiple;
  Prng rng(1);
  Problem p = constant(c, k, 0, 0, 0);
  for (uint8_t& b : p.codes) b = static_cast<uint8_t>(rng.below(256));
  for (int64_t at = 0; at < k; ++at) {
    p.q.assign(static_cast<size_t>(k * p.acts), 0);
    for (int64_t a = 0; a < p.acts; ++a) p.q[static_cast<size_t>(a * k + at)] = static_cast<int8_t>(a - 128);
    ASSERT_EQ(check(GetParam(), p), std::nullopt) << "position " << at;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryKernel, testing::ValuesIn(runnable()),
                         [](const auto& kernel) { return std::string(kernel.param.name); });

TEST(Registry, NamesAreUniqueAndSayWhatTheContractSays) {
  std::set<std::string_view> names;
  for (const Kernel& kernel : kernels()) {
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
    if (kernel.format != "i2_s") continue;  // tq_kernels_test.cpp
    EXPECT_EQ(kernel.name, "i2_s_" + std::string(i2_s::name(kernel.contract.layout)) + "_" +
                               std::string(name(kernel.contract.op)) + "_" + std::string(name(kernel.isa)));
    EXPECT_EQ(kernel.via == Via::absent, kernel.dot == nullptr && kernel.gemv == nullptr) << kernel.name;
    EXPECT_EQ(kernel.vec_dot, nullptr) << kernel.name;
    EXPECT_EQ(kernel.contract.op == Op::gemv, kernel.dot == nullptr || kernel.via == Via::absent) << kernel.name;
  }
}

// The check itself must notice: a kernel that is right but for one thing.
TEST(Check, SeesWrongValuesGapsAndSilence) {
  Kernel kernel;
  kernel.name = "broken";
  kernel.contract = i2_s_contract(Op::rows, Layout::linear);
  Problem p;
  p.shape = {4, 2};
  p.codes = {0xFF, 0x55};
  p.q = {1, 2, 3, 4};
  p.out_stride = 2;
  kernel.dot = [](int64_t, int32_t*, size_t, const uint8_t*, size_t, const int8_t*, size_t, int) {};
  EXPECT_EQ(check(kernel, p), "broken: K = 4, output element 0 is the canary, should be 30");
  kernel.dot = [](int64_t, int32_t* out, size_t, const uint8_t*, size_t, const int8_t*, size_t, int) {
    out[0] = 30;
    out[1] = out[2] = 10;
  };
  EXPECT_EQ(check(kernel, p), "broken: K = 4, output element 1 is 10, should be the canary");
  kernel.dot = [](int64_t, int32_t* out, size_t, const uint8_t*, size_t, const int8_t*, size_t, int) {
    out[0] = 30;
    out[2] = 11;
  };
  EXPECT_EQ(check(kernel, p), "broken: K = 4, output element 2 is 11, should be 10");
}

}  // namespace
}  // namespace tritcheck
