// What one operation of the graph must give on inputs of float32, and how far float32 arithmetic may be from it. The
// values are float64 or exact integers; the bounds follow from the operations that are counted beside each.
//
// u = 2^-24, and gamma(m) = m u / (1 - m u) bounds m roundings in a row.
#pragma once

#include <vector>

#include "engine/fast/products.h"
#include "engine/fast/step.h"
#include "engine/model.h"

namespace tritcheck {

/// One number for each result: a result is right if |got - value| <= bound. A bound of zero asks for equality.
struct ExpectedStep {
  std::vector<double> value;
  std::vector<double> bound;

  bool right(size_t i, double got) const {
    return bound[i] == 0 ? got == value[i] : got - value[i] <= bound[i] && value[i] - got <= bound[i];
  }
};

/// x * (1 / sqrt(mean(x^2) + eps)) * weight. The squares are positive, so their sum has a relative error of at most
/// gamma(n/32 + 6) (a product, n/32 additions in a lane, five in the tree), halved by the root; then division, addition
/// of eps, root, reciprocal and two products: 7 more.
ExpectedStep expected_norm(const std::vector<float>& x, const std::vector<float>& weight, double eps);

/// Ternary I2_S weights on given int8 rows: exact integers, then i2_s::Epilogue::integer_div_mul, so bound 0.
ExpectedStep expected_i2_s(const engine::Matrix& w, const engine::StepCall& call);
/// One number of it: the row that `row` has read, on one token of the call.
float expected_i2_s(const engine::Matrix& w, const engine::RowReader& row, const engine::StepCall& call, int64_t token);

/// Other encodings, on the activations as `act` quantises them. In lanes of 32 a product of length n is gamma(n/32 + 6)
/// times sum |w x|; blocks of integers are exact, and their terms see two products and one addition for each block.
ExpectedStep expected_product(const engine::Matrix& w, const std::vector<float>& x, int64_t tokens, engine::Act act);

/// a cos - b sin, a sin + b cos: each of cos and sin is rounded once, then two products and one addition:
/// gamma(4) (|a cos| + |b sin|).
ExpectedStep expected_rope(const engine::Model& model, const std::vector<float>& x, int64_t heads, int64_t tokens,
                           int64_t position);

/// Softmax(q k / sqrt(d)) v. A score is off by at most e = gamma(d/32 + 8) sum |q k| / sqrt(d) + 2 u (|score| +
/// |largest score|); a weight by the factor exp(2 e), and by gamma(positions + 8) for the exponential (4 u allowed),
/// the sum and the division; the sum over positions by gamma(positions + 1) more.
ExpectedStep expected_attention(const engine::Config& config, const engine::StepCall& call);

/// relu(g)^2 * up: three roundings. silu: an exponential (4 u allowed), an addition, a division, a product: gamma(8).
ExpectedStep expected_gated(engine::Activation activation, const std::vector<float>& gate,
                            const std::vector<float>& up);

/// a + b, rounded once: bound 0.
ExpectedStep expected_add(const std::vector<float>& a, const std::vector<float>& b);

}  // namespace tritcheck
