// A part of method 2 of reading ggml's blocks.
#pragma once

#include <cstdint>
#include <span>

#include "reference/ggml_blocks.h"

namespace tritcheck::ggml {

/// q2_K to q6_K: fills a block whose three vectors have their length.
void k_in_order(Type type, std::span<const uint8_t> bytes, Block& out);

}  // namespace tritcheck::ggml
