// How far float32 kernels may be from the exact dot product: kernels in several orders, right ones and one that loses a
// block.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/ggml_dot.h"
#include "tests/ggml_rows.h"

namespace tritcheck::ggml {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// One product of a kernel on its way: an integer of one lane, and the scales it is still to be multiplied with.
struct Part {
  size_t block, lane;
  float integer, x, y;
};

// The integers of a float32 kernel that adds `group` elements up at a time, in `lanes` lanes, and takes unsigned codes'
// offset off in further lanes. group is within one sub-block.
std::vector<Part> parts_of(Type type, const Bytes& x, const Bytes& y, size_t group, size_t lanes) {
  const blocks::Format& f = format(type);
  const Acts acts = acts_of(type);
  const ActsNumbers a = acts_numbers(acts, y);
  std::vector<Part> parts;
  for (size_t first = 0; first < a.q.size(); first += group) {
    const size_t b = first / f.elements;
    const Block block = decode(type, blocks::nth(f, x, b));
    std::vector<int> code(lanes), offset(lanes), minimum(lanes);
    for (size_t e = first; e < first + group; ++e) {
      const size_t i = e % f.elements;
      code[e % lanes] += (block.weight[i] + block.offset[i]) * a.q[e];
      offset[e % lanes] -= block.offset[i] * a.q[e];
      minimum[e % lanes] += block.minimum[i] * a.q[e];
    }
    const auto d_x = static_cast<float>(block.d);
    const auto c_x = static_cast<float>(block.c);
    for (size_t l = 0; l < lanes; ++l) {
      parts.push_back({b, l, static_cast<float>(code[l]), d_x, a.d[first]});
      parts.push_back({b, lanes + l, static_cast<float>(offset[l]), d_x, a.d[first]});
      if (traits(type).minima != 0)
        parts.push_back({b, 2 * lanes + l, static_cast<float>(minimum[l]), c_x, a.d[first]});
    }
    if (acts == Acts::q8_1 && first % 32 == 0) parts.push_back({b, 2 * lanes, 1, c_x, a.s[first / 32]});
  }
  return parts;
}

enum class Order { scales_first, activations_first, weights_first };

float add_up(const std::vector<Part>& parts, Order order) {
  float lanes[24] = {};
  for (const Part& p : parts) {
    // volatile: in this order, and not fused
    volatile float product =
        order == Order::scales_first ? p.x * p.y : p.integer * (order == Order::weights_first ? p.x : p.y);
    product = product * (order == Order::scales_first ? p.integer : order == Order::weights_first ? p.y : p.x);
    lanes[p.lane] += product;
  }
  float sum = 0;
  for (float lane : lanes) sum += lane;
  return sum;
}

// What several right kernels answer.
std::vector<float> answers(Type type, const Bytes& x, const Bytes& y) {
  std::vector<float> out;
  for (size_t lanes : {1U, 8U}) {
    std::vector<Part> parts = parts_of(type, x, y, 16, lanes);
    for (bool reverse : {false, true}) {
      if (reverse) std::reverse(parts.begin(), parts.end());
      for (Order order : {Order::scales_first, Order::activations_first, Order::weights_first})
        out.push_back(add_up(parts, order));
    }
  }
  return out;
}

class EveryType : public testing::TestWithParam<Type> {
 protected:
  Type type_ = GetParam();
  Prng rng_{static_cast<uint64_t>(GetParam()) + 80};

  std::pair<Bytes, Bytes> rows(size_t k, const Draw& draw) {
    Bytes x = weights_row(type_, k, rng_, draw);
    return {std::move(x), acts_row(acts_of(type_), k, rng_, draw)};
  }
};

// The code of the largest number.
uint8_t largest(Type type, int count) {
  if (type == Type::mxfp4 || type == Type::nvfp4) return 7;
  return static_cast<uint8_t>(type == Type::q8_0 ? 127 : count - 1);
}

// Small integers and powers of two.
Draw exact() {
  Draw draw = anything();
  draw.scale = [](Prng& rng) {
    return std::ldexp(rng.below(2) == 0 ? 1.0F : -1.0F, static_cast<int>(rng.below(3)) - 1);
  };
  draw.sub_scale = [](Prng& rng, Type type) {
    const uint8_t small = static_cast<uint8_t>(rng.below(3));
    if (type == Type::mxfp4) return static_cast<uint8_t>(126 + small);
    if (type == Type::q3_k || type == Type::iq4_xs) return static_cast<uint8_t>(31 + small);
    return type == Type::q6_k ? static_cast<uint8_t>(small - 1) : small;
  };
  draw.minimum = [](Prng& rng) { return static_cast<uint8_t>(rng.below(4)); };
  draw.q = [](Prng& rng) { return static_cast<int8_t>(rng.between(-3, 3)); };
  return draw;
}

TEST_P(EveryType, ExactWhereTheBoundIsZero) {
  for (int i = 0; i < 20; ++i) {
    const auto [x, y] = rows(512, exact());
    const Dot d = dot(type_, x, y);
    ASSERT_EQ(bound(d), 0);
    for (float got : answers(type_, x, y)) ASSERT_EQ(double{got}, d.total);
  }
}

// The largest codes and positive activations of growing size: no sum stays small by chance.
TEST_P(EveryType, ExactUpToTheLimit) {
  double largest_ratio = 0;
  for (int size = 1; size < 128; size += 3) {
    Draw draw = exact();
    draw.scale = [](Prng& rng) { return std::ldexp(1.0F, static_cast<int>(rng.below(3)) - 1); };
    draw.code = [&](Prng&, int count) { return largest(type_, count); };
    draw.q = [&](Prng& rng) { return static_cast<int8_t>(rng.between(size / 2, size)); };
    const auto [x, y] = rows(4096, draw);
    const Dot d = dot(type_, x, y);
    if (bound(d) > 0) continue;
    largest_ratio = std::max(largest_ratio, d.magnitude / d.grain);
    for (float got : answers(type_, x, y)) ASSERT_EQ(double{got}, d.total) << size;
  }
  EXPECT_GT(largest_ratio, 0x1p21);
}

TEST_P(EveryType, BoundHoldsForOrdinaryScales) {
  for (int i = 0; i < 20; ++i) {
    const auto [x, y] = rows(2048, anything());
    const Dot d = dot(type_, x, y);
    ASSERT_GT(bound(d), 0);
    for (float got : answers(type_, x, y)) ASSERT_LE(std::fabs(double{got} - d.total), bound(d));
  }
}

// Large codes and activations, all of one sign: the bound is below what any block contributes.
Draw dense() {
  Draw draw = anything();
  draw.scale = [](Prng& rng) { return static_cast<float>(0.5 + 0.4 * rng.unit()); };
  draw.sub_scale = [](Prng& rng, Type type) {
    if (type == Type::mxfp4) return static_cast<uint8_t>(rng.between(127, 129));
    if (type == Type::nvfp4) return static_cast<uint8_t>(rng.between(0x38, 0x48));
    return static_cast<uint8_t>(type == Type::q2_k ? rng.between(8, 15) : rng.between(48, 63));
  };
  draw.minimum = [](Prng& rng) { return static_cast<uint8_t>(rng.below(3)); };
  draw.q = [](Prng& rng) { return static_cast<int8_t>(rng.between(60, 127)); };
  return draw;
}

TEST_P(EveryType, ALostBlockIsBeyondTheBound) {
  Draw draw = dense();
  draw.code = [&](Prng&, int count) { return largest(type_, count); };
  const auto [x, y] = rows(4096, draw);
  const Dot d = dot(type_, x, y);
  std::vector<double> of_block(4096 / format(type_).elements);
  for (const Term& term : d.terms) of_block[term.block] += term.scale * static_cast<double>(term.sum);
  double smallest = kInfinity;
  for (double one : of_block) smallest = std::min(smallest, std::fabs(one));
  EXPECT_GT(bound(d), 0);
  EXPECT_LT(2 * bound(d), smallest);
  for (float got : answers(type_, x, y)) EXPECT_LE(std::fabs(double{got} - d.total), bound(d));
  for (size_t lost : {size_t{0}, of_block.size() / 2, of_block.size() - 1}) {
    std::vector<Part> parts = parts_of(type_, x, y, 16, 8);
    std::erase_if(parts, [&](const Part& p) { return p.block == lost; });
    EXPECT_GT(std::fabs(double{add_up(parts, Order::scales_first)} - d.total), bound(d)) << "block " << lost;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, EveryType, testing::ValuesIn(kTypes),
                         [](const auto& one) { return std::string(format(one.param).name); });

// d is taken as if its terms had these numbers.
Dot made_up(double magnitude, double grain) {
  Dot d;
  d.terms = {{0, 1, 10, 1000}, {1, 0.25, -3, 500}};
  d.magnitude = magnitude;
  d.grain = grain;
  d.additions = 20;
  return d;
}

TEST(GgmlBound, IsWhatTheFormulaSays) {
  const double mu = (20 + 64 + 8) * 0x1p-24;
  const double expected = (mu / (1 - mu) + 2 * 0x1p-53) * 1e9;
  EXPECT_NEAR(bound(made_up(1e9, 0.25)), expected, expected * 1e-14);
  EXPECT_LT(bound(made_up(1e9, 0.25), 8), expected);
  EXPECT_EQ(bound(made_up(0x1p24 * 0.25, 0.25)), 0);
  EXPECT_GT(bound(made_up(0x1p24 * 0.25 + 1, 0.25)), 0);
  EXPECT_GT(bound(made_up(0x1p-100, 0x1p-127)), 1500 * 0x1p-149) << "underflow";
  EXPECT_EQ(bound(made_up(0, 0)), 0);
}

TEST(GgmlBound, NothingIsPromisedWhereNothingHolds) {
  EXPECT_EQ(bound(made_up(kInfinity, 0.25)), kInfinity);
  EXPECT_EQ(bound(made_up(NAN, 0.25)), kInfinity);
  EXPECT_EQ(bound(made_up(1e9, 0.25), int64_t{1} << 62), kInfinity);
  EXPECT_THROW((void)bound(made_up(1, 1), 0), std::invalid_argument);
}

Dot of_constant(Type type, float d_x, float d_y, int8_t q) {
  Prng rng(1);
  Draw draw = anything();
  draw.code = [](Prng&, int) { return uint8_t{2}; };
  draw.q = [&](Prng&) { return q; };
  draw.scale = [&](Prng&) { return d_x; };
  const Bytes x = weights_row(type, 256, rng, draw);
  draw.scale = [&](Prng&) { return d_y; };
  return dot(type, x, acts_row(acts_of(type), 256, rng, draw));
}

TEST(GgmlBound, ScalesAtTheEdges) {
  EXPECT_EQ(bound(of_constant(Type::tq2_0, 1, 0x1p100F, 100)), 0);
  EXPECT_EQ(bound(of_constant(Type::tq2_0, 1, 0x1p120F, 100)), kInfinity);
  EXPECT_EQ(bound(of_constant(Type::tq2_0, 0, 0x1p120F, 100)), kInfinity) << "infinity * 0 in some order";
  EXPECT_EQ(bound(of_constant(Type::tq2_0, 0, 1, 100)), 0);
  EXPECT_EQ(bound(of_constant(Type::tq2_0, INFINITY, 1, 100)), kInfinity);
  EXPECT_EQ(bound(of_constant(Type::tq2_0, INFINITY, 0, 100)), kInfinity);
  EXPECT_EQ(bound(of_constant(Type::tq2_0, 1, NAN, 100)), kInfinity);
  EXPECT_EQ(bound(of_constant(Type::q4_0, 65504, 65504, 0)), 0);
}

// d_x * d_y = 2^-24 * 1.5 * 2^-126 is no float32; a kernel may answer for twice as much, or nothing.
TEST(GgmlBound, CountsUnderflow) {
  const Dot d = of_constant(Type::tq2_0, 0x1p-24F, 0x1.8p-126F, 100);
  const volatile float scale = 0x1p-24F * 0x1.8p-126F;
  const double got = double{scale} * 25600;
  EXPECT_NE(got, d.total);
  EXPECT_LE(std::fabs(got - d.total), bound(d));
}

}  // namespace
}  // namespace tritcheck::ggml
