// Metamorphic relations (F15) of the oracles: they need no other oracle, so they test these.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "harness/cases/data.h"
#include "reference/dot.h"
#include "tests/ggml_rows.h"

namespace tritcheck {
namespace {

using i2_s::Layout;

constexpr size_t kColumns = 768;  // three blocks of the longest, 24 of the shortest

// Rows of one type: weights with random bytes and scales, and activations made of given codes.
struct Rows {
  ggml::Type type;
  Prng rng;
  ggml::Acts acts = ggml::acts_of(type);

  std::vector<uint8_t> weights() {
    const ggml::Draw draw{
        [](Prng& r) { return std::ldexp(1.0F, static_cast<int>(r.between(-3, 3))); },
        [](Prng& r, ggml::Type t) {
          const ggml::ScaleCode::Range range = ggml::traits(t).scale->common;
          return static_cast<uint8_t>(r.between(range.from, range.to));
        },
        [](Prng& r) { return static_cast<uint8_t>(r.below(16)); },
        [](Prng& r, int count) { return static_cast<uint8_t>(r.below(static_cast<uint64_t>(count))); },
        {}};
    return ggml::weights_row(type, kColumns, rng, draw);
  }

  std::vector<int8_t> codes() {
    std::vector<int8_t> q(kColumns);
    for (int8_t& v : q) v = static_cast<int8_t>(rng.between(-63, 63));
    return q;
  }

  // Block b has the scale 2^(b % 3 + shift); q8_1's s is exact with such codes.
  std::vector<uint8_t> activations(const std::vector<int8_t>& q, int shift = 0) const {
    std::vector<uint8_t> row;
    const size_t block = ggml::format(acts).elements;
    for (size_t b = 0; b < q.size() / block; ++b) {
      const auto from = q.begin() + static_cast<ptrdiff_t>(b * block);
      append(acts, {std::ldexp(1.0F, static_cast<int>(b % 3) + shift), {from, from + static_cast<ptrdiff_t>(block)}},
             row);
    }
    return row;
  }
};

// What each stretch of the row contributes: exact in float64.
std::vector<double> contributions(const ggml::Dot& dot) {
  std::vector<double> out;
  for (const ggml::Term& t : dot.terms) out.push_back(t.scale * static_cast<double>(t.sum));
  return out;
}

class OfBlocks : public testing::TestWithParam<ggml::Type> {
 protected:
  Rows rows() const { return {GetParam(), Prng(*rc::gen::arbitrary<uint64_t>())}; }
  static std::vector<double> ask(bool in_order, ggml::Type type, std::span<const uint8_t> x,
                                 std::span<const uint8_t> y) {
    return contributions(in_order ? ggml::dot_in_order(type, x, y) : ggml::dot(type, x, y));
  }
};

TEST_P(OfBlocks, AreAdditiveAndOddInTheActivations) {
  EXPECT_TRUE(rc::check([this] {
    Rows r = rows();
    const std::vector<uint8_t> x = r.weights();
    const std::vector<int8_t> a = r.codes();
    const std::vector<int8_t> b = r.codes();
    std::vector<int8_t> both(a.size());
    std::vector<int8_t> minus(a.size());
    std::transform(a.begin(), a.end(), b.begin(), both.begin(),
                   [](int u, int v) { return static_cast<int8_t>(u + v); });
    std::transform(a.begin(), a.end(), minus.begin(), [](int u) { return static_cast<int8_t>(-u); });
    for (bool in_order : {false, true}) {
      const auto of = [&](const std::vector<int8_t>& q) { return ask(in_order, r.type, x, r.activations(q)); };
      std::vector<double> sum = of(a);
      const std::vector<double> other = of(b);
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
      RC_ASSERT(of(both) == sum);
      std::vector<double> negative = of(a);
      for (double& v : negative) v = -v;
      RC_ASSERT(of(minus) == negative);
    }
  }));
}

TEST_P(OfBlocks, ScaleWithPowersOfTwoAndSplitAnywhere) {
  EXPECT_TRUE(rc::check([this] {
    Rows r = rows();
    const std::vector<uint8_t> x = r.weights();
    const std::vector<int8_t> q = r.codes();
    const std::vector<uint8_t> y = r.activations(q);
    // where a block of weights and one of activations end together
    const size_t step = std::max(ggml::format(r.type).elements, ggml::format(r.acts).elements);
    const size_t at = step * *rc::gen::inRange<size_t>(1, kColumns / step);
    const size_t x_at = at / ggml::format(r.type).elements * ggml::format(r.type).bytes;
    const size_t y_at = at / ggml::format(r.acts).elements * ggml::format(r.acts).bytes;
    for (bool in_order : {false, true}) {
      const std::vector<double> whole = ask(in_order, r.type, x, y);
      std::vector<double> larger = ask(in_order, r.type, x, r.activations(q, 2));
      for (double& v : larger) v /= 4;
      RC_ASSERT(larger == whole);
      const auto total = [](const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); };
      const double parts = total(ask(in_order, r.type, std::span(x).first(x_at), std::span(y).first(y_at))) +
                           total(ask(in_order, r.type, std::span(x).subspan(x_at), std::span(y).subspan(y_at)));
      RC_ASSERT(parts == total(whole));
    }
  }));
}

INSTANTIATE_TEST_SUITE_P(Oracles, OfBlocks, testing::ValuesIn(ggml::kTypes),
                         [](const auto& type) { return std::string(ggml::format(type.param).name); });

class OfI2s : public testing::TestWithParam<Layout> {};

// Rows in another order give the same results in that order, and each is additive and odd.
TEST_P(OfI2s, DoNotDependOnOtherRowsAndAreAdditive) {
  const Layout layout = GetParam();
  EXPECT_TRUE(rc::check([layout] {
    Prng rng(*rc::gen::arbitrary<uint64_t>());
    const i2_s::Shape shape{.k = 384, .rows = 8};
    const auto k = static_cast<size_t>(shape.k);
    std::vector<uint8_t> codes(8 * k);
    for (uint8_t& c : codes) c = static_cast<uint8_t>(rng.below(4));
    std::vector<uint8_t> turned;  // the last row first
    for (size_t row = 8; row-- > 0;)
      turned.insert(turned.end(), codes.begin() + static_cast<ptrdiff_t>(row * k),
                    codes.begin() + static_cast<ptrdiff_t>((row + 1) * k));
    std::vector<int8_t> a(k), b(k), both(k);
    for (size_t i = 0; i < k; ++i) {
      a[i] = static_cast<int8_t>(rng.between(-63, 63));
      b[i] = static_cast<int8_t>(rng.between(-63, 63));
      both[i] = static_cast<int8_t>(a[i] + b[i]);
    }
    const auto packed = [&](const std::vector<uint8_t>& of) {
      std::vector<uint8_t> bytes(static_cast<size_t>(i2_s::code_bytes(shape)));
      i2_s::pack(layout, shape, of, bytes);
      return bytes;
    };
    const std::vector<uint8_t> x = packed(codes), x_turned = packed(turned);
    for (const auto ask : {i2_s::dot_explicit, i2_s::dot_offset}) {
      for (int64_t row = 0; row < 8; ++row) {
        const auto of = [&](const std::vector<int8_t>& q) {
          return ask(layout, shape, x, row, q, i2_s::Code3::arithmetic);
        };
        RC_ASSERT(of(a).raw + of(b).raw == of(both).raw);
        RC_ASSERT(of(a).centred + of(b).centred == of(both).centred);
        RC_ASSERT(of(a) == ask(layout, shape, x_turned, 7 - row, a, i2_s::Code3::arithmetic));
      }
    }
  }));
}

INSTANTIATE_TEST_SUITE_P(Oracles, OfI2s,
                         testing::Values(Layout::x86_128, Layout::arm_64, Layout::rows_1x4, Layout::linear),
                         [](const auto& layout) { return std::string(i2_s::name(layout.param)); });

}  // namespace
}  // namespace tritcheck
