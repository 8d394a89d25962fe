// Inside the making of problems: the two kinds of formats, rows of plain codes and rows of blocks.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/cases/problem.h"

namespace tritcheck {

/// The problem without what every problem has of its case (see make_problem()). Throw std::invalid_argument.
void generate_i2_s(const Case& c, Problem& p);
void generate_blocks(const Case& c, Problem& p);

/// The right answers of each kind.
void expect_i2_s(const Problem& p, Expectation& out);
void expect_blocks(const Problem& p, Expectation& out);

/// The request's part that depends on the kind: rows, strides, words of output.
void lay_out_i2_s(const Problem& p, CallRequest& r);
void lay_out_blocks(const Problem& p, CallRequest& r);

/// Every number a case may carry, with its range. A mistyped key would otherwise test other data and say pass.
struct Range {
  std::string_view key;
  int64_t low;
  int64_t high;
};
/// Throws std::invalid_argument for a parameter that is not among these, or out of its range.
void check_params(const Case& c, std::span<const Range> known);

/// The bytes that the case itself holds, of which its shape wants so many. Throws std::invalid_argument.
void take_literal(const Case& c, size_t want_w, size_t want_q, Problem& p);

}  // namespace tritcheck
