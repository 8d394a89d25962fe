// The dot products of ggml's formats: two methods against each other, against plain sums, and against worked examples.
#include "reference/ggml_dot.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/dot_tq.h"
#include "tests/ggml_rows.h"

namespace tritcheck::ggml {
namespace {

class EveryType : public testing::TestWithParam<Type> {
 protected:
  Type type_ = GetParam();
  Acts acts_ = acts_of(GetParam());
  Prng rng_{static_cast<uint64_t>(GetParam()) + 40};

  Bytes weights(size_t k) { return weights_row(type_, k, rng_, anything()); }
  Bytes activations(size_t k) { return acts_row(acts_, k, rng_, anything()); }
};

TEST_P(EveryType, TwoMethodsAgree) {
  for (size_t count : {1U, 2U, 3U, 5U}) {
    for (int i = 0; i < 20; ++i) {
      const Bytes x = weights(256 * count);
      const Bytes y = activations(256 * count);
      const Dot a = dot(type_, x, y);
      const Dot b = dot_in_order(type_, x, y);
      ASSERT_EQ(a.terms, b.terms);
      ASSERT_EQ(a.total, b.total);
      ASSERT_EQ(a.magnitude, b.magnitude);
      ASSERT_TRUE(std::isfinite(a.magnitude));
      ASSERT_EQ(a.grain, b.grain);
      ASSERT_EQ(a.additions, b.additions);
    }
  }
}

// Scales at the edges: zeros, denormals, infinities, and products beyond float32.
TEST_P(EveryType, TwoMethodsAgreeOnEdges) {
  constexpr float kScales[] = {0, -0.0F, 0x1p-24F, -0x1.8p-20F, 65504, -1, 0x1p-149F, 3e38F};
  Draw draw = anything();
  draw.scale = [&](Prng& rng) { return kScales[rng.below(std::size(kScales))]; };
  for (int i = 0; i < 50; ++i) {
    const Bytes x = weights_row(type_, 512, rng_, draw);
    const Bytes y = acts_row(acts_, 512, rng_, draw);
    const Dot a = dot(type_, x, y);
    const Dot b = dot_in_order(type_, x, y);
    ASSERT_EQ(a.terms.size(), b.terms.size());
    for (size_t t = 0; t < a.terms.size(); ++t) {
      ASSERT_TRUE(a.terms[t].scale == b.terms[t].scale || std::isnan(a.terms[t].scale));
      ASSERT_EQ(std::isnan(a.terms[t].scale), std::isnan(b.terms[t].scale));
      ASSERT_EQ(a.terms[t].sum, b.terms[t].sum);
      ASSERT_EQ(a.terms[t].magnitude, b.terms[t].magnitude);
    }
    ASSERT_EQ(a.grain, b.grain);
    ASSERT_TRUE(a.magnitude == b.magnitude || (std::isnan(a.magnitude) && std::isnan(b.magnitude)));
    ASSERT_EQ(bound(a), bound(b));
  }
}

TEST_P(EveryType, TotalIsThePlainSum) {
  const Bytes x = weights(1024);
  const Bytes y = activations(1024);
  const ActsNumbers a = acts_numbers(acts_, y);
  const blocks::Format& f = format(type_);
  long double sum = 0;
  for (size_t e = 0; e < 1024; ++e) {
    const Block block = decode(type_, blocks::nth(f, x, e / f.elements));
    const size_t i = e % f.elements;
    if (acts_ == Acts::q8_1) {
      sum += static_cast<long double>(block.d) * block.weight[i] * a.d[e] * a.q[e];
      if (i == 0) sum += static_cast<long double>(block.c) * a.s[e / 32];
    } else {
      sum += static_cast<long double>(block.value(i)) * a.d[e] * a.q[e];
    }
  }
  const Dot d = dot(type_, x, y);
  const double allowed = (static_cast<double>(d.terms.size()) + 2) * 0x1p-53 * d.magnitude;
  EXPECT_LE(std::fabs(static_cast<double>(sum - static_cast<long double>(d.total))), allowed);
  EXPECT_GT(std::fabs(d.total), 1000 * allowed) << "a sum that shows nothing";
}

// Each term's parts: the block it belongs to, the pair of scales, integers that no kernel exceeds.
TEST_P(EveryType, TermsAreInOrder) {
  const Bytes x = weights(768);
  const Bytes y = activations(768);
  const ActsNumbers a = acts_numbers(acts_, y);
  const Dot d = dot(type_, x, y);
  const bool apart = acts_ == Acts::q8_1 || traits(type_).minima != 0;
  const size_t length = std::min(format(type_).elements, format(acts_).elements);
  ASSERT_EQ(d.terms.size(), 768 / length * (apart ? 2 : 1));
  EXPECT_EQ(d.additions, 48 * (apart ? 2 : 1));
  for (size_t t = 0; t < d.terms.size(); ++t) {
    const size_t e = (apart ? t / 2 : t) * length;
    const Term& term = d.terms[t];
    EXPECT_EQ(term.block, e / format(type_).elements);
    const Block block = decode(type_, blocks::nth(format(type_), x, term.block));
    const bool of_minima = apart && t % 2 == 1;
    const double other = of_minima && acts_ == Acts::q8_1 ? a.s[e / 32] : a.d[e];
    EXPECT_EQ(term.scale, (of_minima ? block.c : block.d) * other);
    EXPECT_LE(std::abs(term.sum), term.magnitude);
    EXPECT_EQ(std::fmod(term.scale, d.grain), 0);
  }
}

TEST_P(EveryType, RowsThatDoNotMatchAreRefused) {
  const Bytes x = weights(512);
  const Bytes y = activations(512);
  const std::span<const uint8_t> all_x = x;
  const std::span<const uint8_t> all_y = y;
  for (auto* method : {&dot, &dot_in_order}) {
    EXPECT_NO_THROW(method(type_, x, y));
    EXPECT_THROW(method(type_, {}, {}), std::invalid_argument);
    EXPECT_THROW(method(type_, all_x.first(x.size() - format(type_).bytes), y), std::invalid_argument);
    EXPECT_THROW(method(type_, x, all_y.first(y.size() - format(acts_).bytes)), std::invalid_argument);
    EXPECT_THROW(method(type_, all_x.first(x.size() - 1), y), std::invalid_argument);
    EXPECT_THROW(method(type_, x, all_y.first(y.size() - 1)), std::invalid_argument);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, EveryType, testing::ValuesIn(kTypes),
                         [](const auto& one) { return std::string(format(one.param).name); });

TEST(GgmlDot, Pairings) {
  for (Type type : {Type::q4_1, Type::q5_1}) EXPECT_EQ(acts_of(type), Acts::q8_1);
  for (Type type : {Type::q4_0, Type::q5_0, Type::q8_0, Type::iq4_nl, Type::mxfp4, Type::nvfp4, Type::q1_0, Type::q2_0})
    EXPECT_EQ(acts_of(type), Acts::q8_0);
  for (Type type : {Type::q2_k, Type::q3_k, Type::q4_k, Type::q5_k, Type::q6_k, Type::iq4_xs, Type::tq1_0, Type::tq2_0})
    EXPECT_EQ(acts_of(type), Acts::q8_k);
  EXPECT_EQ(format(Acts::q8_0).bytes, 34U);
  EXPECT_EQ(format(Acts::q8_1).bytes, 36U);
  EXPECT_EQ(format(Acts::q8_k).bytes, 292U);
}

TEST(GgmlDot, AsTheOraclesOfTernaryFormats) {
  Prng rng(7);
  for (const auto& [type, weights] :
       {std::pair(Type::tq1_0, tq::Weights::tq1_0), std::pair(Type::tq2_0, tq::Weights::tq2_0)}) {
    const Bytes x = weights_row(type, 1280, rng, anything());
    const Bytes y = acts_row(Acts::q8_k, 1280, rng, anything());
    const Dot one = dot(type, x, y);
    const tq::Dot other = tq::dot_explicit(weights, x, y);
    ASSERT_EQ(one.terms.size(), other.blocks.size());
    for (size_t b = 0; b < 5; ++b) {
      EXPECT_EQ(one.terms[b].sum, other.blocks[b].sum);
      EXPECT_EQ(one.terms[b].magnitude, other.blocks[b].magnitude);
      EXPECT_EQ(one.terms[b].scale, double{other.blocks[b].d_x} * other.blocks[b].d_y);
    }
    EXPECT_EQ(one.total, other.total);
  }
}

// Weights -0.5, 0, 0.5 in turn with a ramp: a library of ggml has 42 as its integer.
TEST(GgmlDot, WorkedDot) {
  std::vector<float> ramp;
  for (int i = 0; i < 256; ++i) ramp.push_back(static_cast<float>(i - 128) / 64);
  Bytes y(q8_k::kBytes);
  q8_k::quantize_row(ramp, y);
  for (Type type : {Type::tq1_0, Type::tq2_0}) {
    Fields fields;
    fields.d = 0x3800;
    for (size_t e = 0; e < 256; ++e) fields.codes.push_back(static_cast<uint8_t>(e % 3));
    Bytes x(format(type).bytes);
    pack(type, fields, x);
    for (const Dot& d : {dot(type, x, y), dot_in_order(type, x, y)}) {
      ASSERT_EQ(d.terms.size(), 1U);
      EXPECT_EQ(d.terms[0].sum, 42);
      EXPECT_EQ(static_cast<float>(d.total), 0.330708653F);
      EXPECT_LE(std::fabs(0.330710411 - d.total), bound(d)) << "what the library answers";
    }
  }
}

// One of each kind by hand: an offset, q8_1's sum, a minimum and a signed sub-scale.
TEST(GgmlDot, TermsByHand) {
  Bytes q4_0(18, 0x88);  // all 0
  q4_0[0] = 0;
  q4_0[1] = 0x40;      // d = 2
  q4_0[2 + 3] = 0x8F;  // element 3: 7
  Bytes y(34, 0);
  y[1] = 0x38;      // d = 0.5
  y[2 + 3] = 0xF6;  // -10
  EXPECT_EQ(dot(Type::q4_0, q4_0, y).terms, (std::vector<Term>{{0, 1, -70, 230}}));

  Bytes q4_1(20, 0);
  q4_1[1] = 0x40;      // d = 2
  q4_1[3] = 0xBC;      // m = -1
  q4_1[4 + 3] = 0x0F;  // element 3: 15
  Bytes y1(36, 0);
  y1[1] = 0x38;
  y1[3] = 0x48;  // s = 8, whatever the codes are
  y1[4 + 3] = 0xF6;
  EXPECT_EQ(dot(Type::q4_1, q4_1, y1).terms, (std::vector<Term>{{0, 1, -150, 150}, {0, -8, 1, 1}}));
  EXPECT_EQ(dot(Type::q4_1, q4_1, y1).total, -158);

  Bytes q2_k(84, 0);
  q2_k[1] = 0x95;     // sub-block 1: scale 5, minimum 9
  q2_k[16 + 17] = 2;  // element 17: 2
  q2_k[81] = 0x40;    // d = 2
  q2_k[83] = 0x38;    // dmin = 0.5
  q8_k::Block yk;
  yk.d = -1;
  yk.q[17] = -10;
  yk.q[18] = 4;
  yk.bsums = q8_k::sums_of(yk.q);
  const Dot with_minimum = dot(Type::q2_k, q2_k, packed(yk, q8_k::kBytes));
  EXPECT_EQ(with_minimum.terms, (std::vector<Term>{{0, -2, -100, 100}, {0, 0.5, -54, 126}}));
  EXPECT_EQ(with_minimum.total, 173);
  EXPECT_EQ(with_minimum.magnitude, 263);
  EXPECT_EQ(with_minimum.grain, 0.5);

  Bytes q6_k(210, 0);
  q6_k[192 + 1] = 0xFD;  // -3; code 0 is -32
  q6_k[209] = 0x3C;
  const Dot six = dot(Type::q6_k, q6_k, packed(yk, q8_k::kBytes));
  EXPECT_EQ(six.terms, (std::vector<Term>{{0, -1, 96 * -6, 96 * 14}}));
}

TEST(GgmlDot, WrongSumsSeparateTheMethods) {
  Prng rng(9);
  for (Type type : {Type::q4_k, Type::q6_k, Type::tq2_0}) {
    const Bytes x = weights_row(type, 256, rng, anything());
    q8_k::Block y;
    y.d = 1;
    y.bsums[5] = 100;
    const Dot read = dot_in_order(type, x, packed(y, q8_k::kBytes));
    EXPECT_EQ(dot(type, x, packed(y, q8_k::kBytes)).total, 0);
    const Block block = decode(type, x);
    EXPECT_EQ(read.terms[0].sum, -100 * block.offset[80]);
    EXPECT_EQ(read.terms.back().sum, 100 * (type == Type::q4_k ? block.minimum[80] : -block.offset[80]));
  }
}

TEST(GgmlDot, UndefinedScaleIsRefused) {
  Bytes x(36);
  x[2] = 0x80;
  EXPECT_THROW(dot(Type::nvfp4, x, Bytes(68)), std::domain_error);
  EXPECT_THROW(dot_in_order(Type::nvfp4, x, Bytes(68)), std::domain_error);
}

}  // namespace
}  // namespace tritcheck::ggml
