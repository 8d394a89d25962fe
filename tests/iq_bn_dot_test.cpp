// The dots of IQ1_BN, IQ2_BN, IQ2_BN_R4: two methods against each other and plain sums, and the bound against kernels
// that add in many orders.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "reference/dot_iq_bn.h"
#include "tests/block_bytes.h"

namespace tritcheck::iq_bn {
namespace {

using q8_k64::Kind;
constexpr Kind kKinds[] = {Kind::k64, Kind::k16};

// A row, or four, of weights with activations, as numbers and as bytes.
struct Case {
  Case(Type type_, Kind kind_, size_t k, Prng& rng) : type(type_), kind(kind_) {
    const Format& f = format(type);
    weights.scales.resize(f.rows);
    for (float& s : weights.scales) s = static_cast<float>(rng.between(1, 2047)) * (rng.below(2) == 0 ? 0x1p-10F : -1);
    weights.codes.resize(k * f.rows);
    for (auto& c : weights.codes) c = static_cast<uint8_t>(rng.below(static_cast<uint64_t>(f.largest_code) + 1));
    for (float& d : acts.d) d = static_cast<float>(rng.unit()) + 0.01F;
    for (size_t i = 0; i < k; ++i) acts.q.push_back(static_cast<int8_t>(rng.between(-128, 127)));
    acts.m = q8_k64::minus_of(kind, acts.d, acts.q);
    write();
  }

  // once more after a change of the numbers
  void write() {
    x.resize(row_bytes(type, acts.q.size()));
    pack(type, weights, x);
    y.resize(q8_k64::row_bytes(kind, acts.q.size()));
    q8_k64::pack(kind, acts, y);
  }

  int code(size_t row, size_t e) const { return weights.codes[row * acts.q.size() + e]; }

  Type type;
  Kind kind;
  Rows weights;
  q8_k64::Row acts;
  Bytes x;
  Bytes y;
};

void expect_plain_sums(const Case& c, size_t row, const Dot& dot) {
  int64_t sum[4] = {};
  int64_t codes[4] = {};
  int64_t magnitude[4] = {};
  long double meant = 0;
  for (size_t e = 0; e < c.acts.q.size(); ++e) {
    const size_t of = c.kind == Kind::k64 ? e / 4 % 4 : e / 16 % 4;
    sum[of] += (c.code(row, e) - 1) * c.acts.q[e];
    codes[of] += c.code(row, e) * c.acts.q[e];
    magnitude[of] += c.code(row, e) * std::abs(c.acts.q[e]);
    meant += static_cast<long double>(c.acts.d[of]) * (c.code(row, e) - 1) * c.acts.q[e];
  }
  double of_m = 0;
  for (size_t i = 0; i < 4; ++i) {
    ASSERT_EQ(dot.classes[i], (ClassDot{sum[i], codes[i], magnitude[i], c.acts.d[i]})) << i;
  }
  for (float m : c.acts.m) of_m += std::fabs(m);
  ASSERT_EQ(dot.scale, c.weights.scales[row]);
  ASSERT_EQ(dot.m, c.acts.m);
  meant *= dot.scale;
  const double scale = std::fabs(double{dot.scale});
  ASSERT_NEAR(static_cast<double>(meant), total_of_weights(dot), 1e-9 * scale);
  ASSERT_LE(std::fabs(total(dot) - total_of_weights(dot)), (of_m * 0x1p-24 + 1e-9) * scale) << "m's rounding only";
}

RC_GTEST_PROP(IqBnDot, TwoMethodsEqualThePlainSums, ()) {
  Prng rng(*rc::gen::arbitrary<uint64_t>());
  for (Type type : kTypes) {
    for (Kind kind : kKinds) {
      const Case c(type, kind, 512 + 64 * rng.below(10), rng);
      for (size_t row = 0; row < format(type).rows; ++row) {
        const Dot dot = dot_explicit(type, c.x, row, kind, c.y);
        RC_ASSERT(dot_offset(type, c.x, row, kind, c.y) == dot);
        expect_plain_sums(c, row, dot);
      }
    }
  }
}

// Bytes that no quantiser writes: codes 3, trits of 13 more values, sums that do not fit.
TEST(IqBnDot, TwoMethodsAgreeOnAnyBytes) {
  Prng rng(5);
  for (Type type : kTypes) {
    for (Kind kind : kKinds) {
      Bytes x = random_bytes(rng, row_bytes(type, 512));
      for (size_t i = 0; i < format(type).header; ++i) x[i] = 1;  // no NaN, which would equal nothing
      Bytes y = random_bytes(rng, q8_k64::row_bytes(kind, 512));
      for (size_t i = 0; i < y.size() - 512; ++i) y[i] = static_cast<uint8_t>(i);
      for (size_t row = 0; row < format(type).rows; ++row) {
        EXPECT_EQ(dot_explicit(type, x, row, kind, y), dot_offset(type, x, row, kind, y));
      }
    }
  }
}

// One element of one class at a time: K64 has classes of 4, K16 of 16.
TEST(IqBnDot, OneElement) {
  Prng rng(6);
  Case c(Type::iq2_bn, Kind::k64, 512, rng);
  std::fill(c.weights.codes.begin(), c.weights.codes.end(), uint8_t{1});
  c.weights.codes[27] = 2;
  c.weights.scales = {2};
  c.acts.d = {1, 2, 4, 8};
  std::fill(c.acts.q.begin(), c.acts.q.end(), int8_t{0});
  c.acts.q[27] = -5;
  c.acts.m = {0, 0, -20, 0};
  c.write();
  const Dot dot = dot_explicit(c.type, c.x, 0, c.kind, c.y);
  EXPECT_EQ(dot.classes[2], (ClassDot{-5, -10, 10, 4}));
  EXPECT_EQ(dot.classes[1], (ClassDot{0, 0, 0, 2}));
  EXPECT_EQ(total(dot), 2 * (4 * -10 + 20));
  EXPECT_EQ(total_of_weights(dot), -40);
  c.acts.m = {0, 0, -20, 1};  // wrong, and so is what a kernel makes of it
  c.write();
  EXPECT_EQ(total(dot_offset(c.type, c.x, 0, c.kind, c.y)), -42);
  EXPECT_EQ(total_of_weights(dot_offset(c.type, c.x, 0, c.kind, c.y)), -40);
}

TEST(IqBnDot, Extremes) {
  Prng rng(7);
  for (Type type : kTypes) {
    for (int code : {0, format(type).largest_code}) {
      for (int q : {-128, 127}) {
        Case c(type, acts_of(type), 8192, rng);
        std::fill(c.weights.codes.begin(), c.weights.codes.end(), static_cast<uint8_t>(code));
        std::fill(c.acts.q.begin(), c.acts.q.end(), static_cast<int8_t>(q));
        c.acts.m = q8_k64::minus_of(c.kind, c.acts.d, c.acts.q);
        c.write();
        const Dot dot = dot_explicit(type, c.x, 0, c.kind, c.y);
        EXPECT_EQ(dot, dot_offset(type, c.x, 0, c.kind, c.y));
        for (const ClassDot& of : dot.classes) EXPECT_EQ(of.sum, 2048 * (code - 1) * q);
      }
    }
  }
  EXPECT_EQ(acts_of(Type::iq1_bn), Kind::k64);
  EXPECT_EQ(acts_of(Type::iq2_bn), Kind::k64);
  EXPECT_EQ(acts_of(Type::iq2_bn_r4), Kind::k16);
}

TEST(IqBnDot, RowsThatDoNotMatchAreRefused) {
  Prng rng(8);
  for (auto* method : {&dot_explicit, &dot_offset}) {
    for (Type type : kTypes) {
      for (Kind kind : kKinds) {
        const Case c(type, kind, 640, rng);
        const std::span<const uint8_t> x = c.x;
        const std::span<const uint8_t> y = c.y;
        const size_t rows = format(type).rows;
        EXPECT_NO_THROW(method(type, x, rows - 1, kind, y));
        EXPECT_THROW(method(type, x, rows, kind, y), std::invalid_argument);
        EXPECT_THROW(method(type, x.first(x.size() - 1), 0, kind, y), std::invalid_argument);
        EXPECT_THROW(method(type, x.first(x.size() - format(type).block), 0, kind, y), std::invalid_argument);
        EXPECT_THROW(method(type, x, 0, kind, y.first(y.size() - 1)), std::invalid_argument);
        EXPECT_THROW(method(type, x, 0, kind, y.first(y.size() - 64)), std::invalid_argument);
        EXPECT_THROW(method(type, x, 0, kind, y.first(3)), std::invalid_argument);
        EXPECT_THROW(method(type, x, 0, kind, {}), std::invalid_argument);
        EXPECT_THROW(method(type, {}, 0, kind, y), std::invalid_argument);
      }
    }
    const Case small(Type::iq2_bn, Kind::k16, 448, rng);
    EXPECT_NO_THROW(method(Type::iq2_bn, small.x, 0, Kind::k16, small.y));
    EXPECT_THROW(method(Type::iq2_bn, small.x, 0, Kind::k64, Bytes(32 + 448)), std::invalid_argument);
  }
}

// A kernel in float32: products in `lanes` integers for each class, made into terms that are added in a random order.
enum class ScaleFirst : uint8_t { no, terms, d };

float kernel(const Case& c, size_t row, int64_t lanes, ScaleFirst first, Prng& rng) {
  const float scale = c.weights.scales[row];
  std::vector<int32_t> sums(static_cast<size_t>(4 * lanes));
  for (size_t e = 0; e < c.acts.q.size(); ++e) {
    const size_t lane = 4 * rng.below(static_cast<uint64_t>(lanes)) + q8_k64::class_of(c.kind, e);
    sums[lane] += c.code(row, e) * c.acts.q[e];
  }
  std::vector<float> terms;
  for (size_t i = 0; i < sums.size(); ++i) {
    const float d = c.acts.d[i % 4];
    const auto whole = static_cast<float>(sums[i]);
    terms.push_back(first == ScaleFirst::d ? d * scale * whole : d * whole * (first == ScaleFirst::no ? 1 : scale));
  }
  for (float m : c.acts.m) terms.push_back(-m * (first == ScaleFirst::no ? 1 : scale));
  while (terms.size() > 1) {
    std::swap(terms[rng.below(terms.size())], terms.back());
    const float one = terms.back();
    terms.pop_back();
    terms[rng.below(terms.size())] += one;
  }
  return terms[0] * (first == ScaleFirst::no ? scale : 1);
}

TEST(IqBnDot, KernelsInAnyOrderAreWithinTheBound) {
  Prng rng(9);
  double largest = 0;
  for (int i = 0; i < 60; ++i) {
    for (Type type : kTypes) {
      Case c(type, acts_of(type), 512 << i % 4, rng);
      if (i % 3 == 0) std::fill(c.acts.q.begin(), c.acts.q.end(), int8_t{127});               // S and m cancel
      if (i % 3 == 1) std::fill(c.weights.codes.begin(), c.weights.codes.end(), uint8_t{0});  // only m is left
      c.acts.m = q8_k64::minus_of(c.kind, c.acts.d, c.acts.q);
      c.write();
      const Dot dot = dot_explicit(type, c.x, 0, c.kind, c.y);
      for (int64_t lanes : {1, 2, 16}) {
        for (ScaleFirst first : {ScaleFirst::no, ScaleFirst::terms, ScaleFirst::d}) {
          const double off = std::fabs(kernel(c, 0, lanes, first, rng) - total(dot));
          ASSERT_LE(off, float_bound(dot, lanes)) << i << " " << lanes;
          largest = std::max(largest, off / float_bound(dot, lanes));
        }
      }
    }
  }
  EXPECT_GT(largest, 0.02) << "a bound that is far too wide shows nothing";
}

// So small that products lose bits: a bound of relative errors alone would be exceeded.
TEST(IqBnDot, DenormalsAreWithinTheBound) {
  Prng rng(10);
  bool lost = false;
  for (int i = 0; i < 100; ++i) {
    Case c(Type::iq2_bn, Kind::k64, 512, rng);
    c.weights.scales = {static_cast<float>(rng.unit()) * 0x1p-70F};
    for (float& d : c.acts.d) d *= 0x1p-72F;
    c.acts.m = q8_k64::minus_of(c.kind, c.acts.d, c.acts.q);
    c.write();
    const Dot dot = dot_explicit(c.type, c.x, 0, c.kind, c.y);
    double size = 0;
    for (const ClassDot& of : dot.classes)
      size += std::fabs(double{of.d} * dot.scale) * static_cast<double>(of.magnitude);
    for (float m : dot.m) size += std::fabs(double{m} * dot.scale);
    for (ScaleFirst first : {ScaleFirst::no, ScaleFirst::terms, ScaleFirst::d}) {
      const double off = std::fabs(kernel(c, 0, 4, first, rng) - total(dot));
      ASSERT_LE(off, float_bound(dot, 4));
      lost = lost || off > 24 * 0x1p-24 * size;
    }
  }
  EXPECT_TRUE(lost) << "nothing was lost, so nothing is shown";
}

TEST(IqBnDot, TheBoundTellsOneUnit) {
  Prng rng(11);
  for (Type type : kTypes) {
    const Case c(type, acts_of(type), 512, rng);
    const Dot dot = dot_explicit(type, c.x, 0, c.kind, c.y);
    for (float d : c.acts.d) EXPECT_LT(float_bound(dot), 10 * std::fabs(double{dot.scale}) * double{d});
    EXPECT_LT(float_bound(dot), 0.05 * std::fabs(double{dot.scale}));
    EXPECT_LT(float_bound(dot, 1), float_bound(dot, 2));
  }
}

TEST(IqBnDot, WhereNothingIsPromised) {
  Prng rng(12);
  const Case c(Type::iq2_bn, Kind::k64, 512, rng);
  const Dot good = dot_explicit(c.type, c.x, 0, c.kind, c.y);
  const double infinity = std::numeric_limits<double>::infinity();
  for (float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), 3e38F}) {
    Dot dot = good;
    dot.scale = bad;
    EXPECT_EQ(float_bound(dot), infinity);
    dot = good;
    dot.classes[2].d = -bad;
    EXPECT_EQ(float_bound(dot), infinity);
    dot.classes[2].magnitude = 0;
    EXPECT_TRUE(float_bound(dot) == infinity || bad == 3e38F);
    dot = good;
    dot.m[3] = bad;
    EXPECT_EQ(float_bound(dot), infinity);
    dot.scale = 0;
    EXPECT_TRUE(float_bound(dot) == infinity || bad == 3e38F);
  }
  Dot nothing = good;
  nothing.scale = 0;
  EXPECT_EQ(float_bound(nothing), 0);
  EXPECT_THROW((void)float_bound(good, 0), std::invalid_argument);
  EXPECT_THROW((void)float_bound(good, (1 << 20) + 1), std::invalid_argument);
  EXPECT_TRUE(std::isfinite(float_bound(good, 1 << 20)));
}

}  // namespace
}  // namespace tritcheck::iq_bn
