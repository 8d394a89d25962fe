// The fast engine's float32 steps between the products. Each depends on one token's numbers in one fixed order. Results
// go into `out`, which gets their size; it keeps its memory from call to call.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/config.h"
#include "engine/fast/fault.h"
#include "engine/threads.h"

namespace tritcheck::engine::ops {

/// x * (1 / sqrt(mean(x^2) + eps)) * weight for each row of weight.size() numbers.
void rms_norm(Threads& threads, std::span<const float> x, std::span<const float> weight, double eps,
              std::vector<float>& out);

/// Rotates the heads of each token in place, as the tokens at position, position + 1, ... Angles are taken in float64
/// and rounded once, so that late positions are as right as early ones.
void rope(std::vector<float>& x, const Config& config, std::span<const float> factors, int64_t heads, int64_t tokens,
          int64_t position, Fault fault);

/// What the query heads of tokens at position, position + 1, ... make of the keys and values of all positions up to
/// their own. q: tokens x embd; keys, values: positions x kv_dim.
void attention(Threads& threads, const Config& config, std::span<const float> q, std::span<const float> keys,
               std::span<const float> values, int64_t tokens, int64_t position, Fault fault, std::vector<float>& out);

/// activation(gate) * up, number by number.
void gated(Threads& threads, Activation activation, std::span<const float> gate, std::span<const float> up, Fault fault,
           std::vector<float>& out);

/// x += y
void add(Threads& threads, std::vector<float>& x, std::span<const float> y);

}  // namespace tritcheck::engine::ops
