// Mutants that nobody wrote a rule for: any reading of the bytes, any lost or repeated unit, any stride, lane or
// widening interval. Every one must be caught, and none misnamed.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

#include "reference/prng.h"
#include "tests/in_process.h"

namespace tritcheck {
namespace {

// What a mutant does differently. Everything else is right.
struct Fault {
  int64_t group = 32;  // planes of so many columns; 0: four rows in a byte
  int shifts[4] = {6, 4, 2, 0};
  std::function<int64_t(int64_t column, int64_t k)> weight = [](int64_t, int64_t) { return 1; };  // times it counts
  int64_t w_num = 1;  // row i is taken from i * w_stride * num / den + add * i
  int64_t w_den = 1;
  int64_t w_add = 0;
  int64_t q_add = 0;
  int64_t lanes = 0;  // > 0: int16 lanes, column c goes to lane (c / together) % lanes
  int64_t together = 1;
  int64_t widen = 0;   // columns between widenings
  bool clamp = false;  // lanes saturate, they do not wrap
};

int64_t dot(const Fault& f, const CallRequest& r, int64_t row, int64_t act) {
  const auto stride = static_cast<int64_t>(r.w_stride);
  const int64_t w0 = row == 0 ? 0 : row * stride * f.w_num / f.w_den + f.w_add * row;
  const int64_t q0 = act == 0 ? 0 : act * static_cast<int64_t>(r.q_stride) + f.q_add * act;
  std::vector<int16_t> lane(static_cast<size_t>(std::max<int64_t>(f.lanes, 1)));
  int64_t sum = 0;
  for (int64_t j = 0; j < r.k; ++j) {
    const int64_t byte = w0 + j / (4 * f.group) * f.group + j % f.group;
    const auto at = static_cast<size_t>(byte);
    const int code =
        at < r.weights.size() && byte >= 0 ? (r.weights[at] >> f.shifts[j % (4 * f.group) / f.group]) & 3 : 0;
    const auto qi = static_cast<size_t>(q0 + j);
    const int64_t product = code * (qi < r.activations.size() ? r.activations[qi] : 0) * f.weight(j, r.k);
    if (f.lanes == 0) {
      sum += product;
      continue;
    }
    auto& l = lane[static_cast<size_t>(j / f.together % f.lanes)];
    l = static_cast<int16_t>(f.clamp ? std::clamp<int64_t>(l + product, INT16_MIN, INT16_MAX) : l + product);
    if ((j + 1) % f.widen == 0 || j + 1 == r.k) {
      for (auto& v : lane) sum += std::exchange(v, int16_t{0});
    }
  }
  return sum;
}

Mutant mutant(const Contract& contract, const Fault& f) {
  return [op = contract.op, f](const CallRequest& r, std::vector<uint32_t>& words) {
    const uint64_t out_stride = op == Op::dot ? 1 : r.out_stride;
    for (int32_t i = 0; i < r.nrc; ++i) {
      const int64_t v = dot(f, r, op == Op::rows ? i : 0, op == Op::acts ? i : 0);
      words[static_cast<size_t>(i) * out_stride] = std::bit_cast<uint32_t>(static_cast<int32_t>(v));
    }
  };
}

int64_t group_of(Layout layout) {
  return layout == Layout::x86_128 ? 32 : layout == Layout::arm_64 ? 16 : 1;
}

Contract some_contract(Prng& rng) {
  constexpr Op ops[] = {Op::dot, Op::rows, Op::acts};
  constexpr Layout layouts[] = {Layout::x86_128, Layout::arm_64, Layout::linear};
  return i2_s_contract(ops[rng.below(3)], layouts[rng.below(3)]);
}

void expect_named(const Contract& c, const Fault& f, const std::vector<std::string>& names, const std::string& what) {
  const KernelReport report = examine(c, mutant(c, f));
  ASSERT_NE(report.verdict, Verdict::pass) << what << ": not caught";
  ASSERT_TRUE(report.failure) << what;
  EXPECT_TRUE(std::find(names.begin(), names.end(), report.failure->diagnosis) != names.end())
      << what << ": called " << report.failure->diagnosis << " (" << report.failure->sentence << "), should be "
      << names[0];
}

std::string text(const Contract& c) {
  return std::string(name(c.op)) + " " + std::string(i2_s::name(c.layout));
}

// The fewest columns that can overflow a lane are 86 per lane (code 3, q = -128); then anything up to 64 blocks.
int64_t overflowing_interval(Prng& rng, int64_t lanes) {
  const int64_t fewest = (86 * lanes + 127) / 128;
  return 128 * (fewest + static_cast<int64_t>(rng.below(static_cast<uint64_t>(65 - fewest))));
}

TEST(Mutants, TheUnchangedOneIsRight) {
  for (Op op : {Op::dot, Op::rows, Op::acts}) {
    for (Layout layout : {Layout::x86_128, Layout::arm_64, Layout::linear}) {
      const Contract c = i2_s_contract(op, layout);
      Fault f;
      f.group = group_of(layout);
      const KernelReport report = examine(c, mutant(c, f));
      EXPECT_EQ(report.verdict, Verdict::pass) << text(c) << ": " << (report.failure ? report.failure->sentence : "");
      EXPECT_GT(report.cases, 1000);
    }
  }
}

TEST(Mutants, AnyReadingOfTheBytes) {
  Prng rng(11);
  for (int round = 0; round < 60; ++round) {
    const Contract c = some_contract(rng);
    Fault f;
    f.group = int64_t{1} << rng.below(6);
    while (c.k_multiple % (4 * f.group) != 0 && f.group > 1) f.group /= 2;
    std::vector<int> order = {6, 4, 2, 0};
    const bool shuffle = rng.below(2) != 0;
    for (int i = 3; shuffle && i > 0; --i)
      std::swap(order[static_cast<size_t>(i)], order[rng.below(static_cast<uint64_t>(i) + 1)]);
    std::copy(order.begin(), order.end(), f.shifts);
    const int64_t right = group_of(c.layout);
    const bool same_order = order == std::vector<int>{6, 4, 2, 0};
    if (f.group == right && same_order) continue;
    const std::string want = f.group == right ? "layout-bit-order"
                             : f.group == 1   ? "layout-linear"
                                              : "layout-block-size";
    expect_named(c, f, {want}, text(c) + " read in groups of " + std::to_string(f.group));
  }
}

TEST(Mutants, AnyUnitDroppedOrRepeated) {
  Prng rng(12);
  for (int round = 0; round < 60; ++round) {
    const Contract c = some_contract(rng);
    Fault f;
    f.group = group_of(c.layout);
    const int64_t unit = int64_t{16} << rng.below(4);
    const int64_t which = static_cast<int64_t>(rng.below(3));
    const int64_t times = rng.below(2) != 0 ? 0 : 2;
    const int mode = static_cast<int>(rng.below(3));
    f.weight = [=](int64_t j, int64_t k) -> int64_t {
      const int64_t u = j / unit;
      const int64_t last = (k - 1) / unit;
      if (mode == 0 && u == which) return times;             // one unit, counted from the front
      if (mode == 1 && u == last && k > unit) return times;  // the last unit
      if (mode == 2 && u % 4 == which + 1) return times;     // every fourth unit
      return 1;
    };
    const std::vector<std::string> names = times == 2  ? std::vector<std::string>{"unit-repeated"}
                                           : mode == 1 ? std::vector<std::string>{"tail-dropped"}
                                                       : std::vector<std::string>{"unit-dropped", "tail-dropped"};
    expect_named(c, f, names,
                 text(c) + " unit " + std::to_string(unit) + " mode " + std::to_string(mode) + " times " +
                     std::to_string(times));
  }
}

TEST(Mutants, AnyLaneLost) {
  Prng rng(13);
  for (int round = 0; round < 30; ++round) {
    const Contract c = some_contract(rng);
    Fault f;
    f.group = group_of(c.layout);
    const int64_t lanes = int64_t{4} << rng.below(5);
    const auto lost = static_cast<int64_t>(rng.below(static_cast<uint64_t>(lanes)));
    f.weight = [=](int64_t j, int64_t) -> int64_t { return j % lanes != lost; };
    expect_named(c, f, {"unit-dropped"}, text(c) + " lane " + std::to_string(lost) + " of " + std::to_string(lanes));
  }
}

TEST(Mutants, AnyStride) {
  for (Layout layout : {Layout::x86_128, Layout::arm_64}) {
    Fault f;
    f.group = group_of(layout);
    for (auto [num, den, add] : {std::tuple{4, 1, 0}, {2, 1, 0}, {1, 1, 16}, {1, 1, 1}, {1, 2, 0}, {0, 1, 0}}) {
      f.w_num = num;
      f.w_den = den;
      f.w_add = add;
      expect_named(i2_s_contract(Op::rows, layout), f, {"row-stride"},
                   "rows stride x" + std::to_string(num) + "/" + std::to_string(den) + "+" + std::to_string(add));
    }
    Fault g;
    g.group = group_of(layout);
    for (int64_t add : {-16, 1, 128}) {
      g.q_add = add;
      expect_named(i2_s_contract(Op::acts, layout), g, {"act-stride"}, "acts stride + " + std::to_string(add));
    }
  }
}

TEST(Mutants, AnySaturatingSum) {
  Prng rng(15);
  for (int round = 0; round < 20; ++round) {
    const Contract c = some_contract(rng);
    Fault f;
    f.group = group_of(c.layout);
    f.clamp = true;
    f.lanes = int64_t{8} << rng.below(4);
    f.widen = overflowing_interval(rng, f.lanes);
    expect_named(c, f, {"saturation"},
                 text(c) + " " + std::to_string(f.lanes) + " lanes clamped, widened every " + std::to_string(f.widen));
  }
}

TEST(Mutants, AnyWideningInterval) {
  Prng rng(14);
  for (int round = 0; round < 40; ++round) {
    const Contract c = some_contract(rng);
    Fault f;
    f.group = group_of(c.layout);
    f.lanes = int64_t{8} << rng.below(3);
    f.together = int64_t{1} << rng.below(2);
    f.widen = overflowing_interval(rng, f.lanes);
    expect_named(c, f, {"int16-overflow"},
                 text(c) + " " + std::to_string(f.lanes) + " lanes widened every " + std::to_string(f.widen));
  }
}

}  // namespace
}  // namespace tritcheck
