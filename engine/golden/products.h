// The golden engine's matrix products, exact where they are integers. Row after row of the matrix is decoded once and
// met by all tokens of the batch.
#pragma once

#include <vector>

#include "engine/matrix.h"
#include "engine/threads.h"

namespace tritcheck::engine {

/// Tokens whose logits are computed at a time: 128256 numbers each, so few are kept.
inline constexpr int64_t kLogitTokens = 8;

/// y[t][r] = factor * sum over blocks of scale * (sum of weight * q[t]) / s[t], with q[t], s[t] the golden int8 row of
/// x[t] (i8_s::quantize_golden). The inner sum is exact in integers for ternary weights; for float weights each block
/// is the whole row, in float64. x: tokens x k; result: tokens x rows.
std::vector<double> quantized_product(Threads& threads, const Matrix& w, const std::vector<double>& x, int64_t tokens);

/// y[t][r] = factor * sum of weight * x[t] in float64.
std::vector<double> plain_product(Threads& threads, const Matrix& w, const std::vector<double>& x, int64_t tokens);

}  // namespace tritcheck::engine
