// Rows of blocks for problems: weights and activations as numbers, put into bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "reference/ggml_dot.h"

namespace tritcheck {

/// One block of activations as numbers. d and, for q8_1, s = fp16(d * sum(q)) are rounded as the format stores them.
struct ActBlock {
  float d = 1;
  std::vector<int8_t> q;
};
/// Appends it to a row.
void append(ggml::Acts acts, const ActBlock& block, std::vector<uint8_t>& row);
/// Appends a block of weights to a row.
void append(ggml::Type type, const ggml::Fields& fields, std::vector<uint8_t>& row);

/// fp16 bits of 2^e, e from -14 to 15.
uint16_t half_power(int e);

}  // namespace tritcheck
