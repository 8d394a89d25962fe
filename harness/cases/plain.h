// Rows of plain floats: F32, F16 and BF16, which have no blocks. Their dot products are put to data whose sums every
// order of adding gets exactly, even one in half precision; their conversions to all values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/cases/problem.h"

namespace tritcheck {

enum class Plain : uint8_t { f32, f16, bf16 };
std::optional<Plain> plain_named(std::string_view name);
size_t bytes_of(Plain plain);

/// Row number `row` of x (0) or y (1) of a case. Whole numbers, small enough that the sum of the magnitudes of all
/// products is at most 2048: every partial sum is then an fp16 number.
std::vector<uint8_t> plain_row(const Case& c, Plain plain, int which, int64_t row);
/// All halves in turn, 256 for each `value`, for a conversion to float.
std::vector<uint8_t> plain_values(const Case& c, Plain plain);

/// The exact answers of a dot product, a conversion to float, a conversion from float.
void expect_plain(const Problem& problem, Plain plain, Expectation& out);

}  // namespace tritcheck
