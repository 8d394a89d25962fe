// A problem for a function of a library: its bytes, the right answers, and how far from them it may be.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/foreign/case.h"
#include "harness/foreign/formats.h"

namespace tritcheck::foreign {

struct Problem {
  Role role = Role::vec_dot;
  std::string format;
  std::string acts;  ///< vec_dot
  int64_t k = 0;
  int32_t n = 1;           ///< vec_dot: nrc, rows of x and of y
  std::vector<uint8_t> x;  ///< n rows of weights without gaps; to_float: blocks; from_float: k floats
  std::vector<uint8_t> y;  ///< n rows of activations; else empty
  int64_t x_pad = 0;       ///< bytes between rows, for n = 2
  int64_t y_pad = 0;
  int64_t out_stride = 2;  ///< bs, for n = 2
  uint32_t x_offset = 0;   ///< start offsets in run B
  uint32_t y_offset = 0;
  uint32_t out_offset = 0;
  int32_t threads = 1;  ///< as CallRequest::threads
};

/// What must be in the output.
struct Expectation {
  std::vector<size_t> words;   ///< vec_dot, to_float: which output words hold the results
  std::vector<double> values;  ///< from_float: the bytes, as one right quantiser writes them
  std::vector<double> bounds;  ///< |result - value| <= bound; infinity where nothing is promised but "not finite"
  std::vector<std::vector<uint8_t>> rows;  ///< from_float: any of these rows is right
  std::vector<bool> ignored;               ///< from_float: bytes whose content nobody promises
  double unit = 0;  ///< vec_dot: the smallest contribution of a weight block that is not zero; 0 if all are
};

/// The problem of a case for a function; throws std::invalid_argument if its shape or a parameter is illegal.
Problem make_problem(const Case& c);
/// A small one whose answer is not zero.
Problem smoke_problem(const KernelInfo& function);

/// Asks both oracles; throws std::logic_error if they disagree (that is our bug, not the function's).
Expectation expected(const Problem& problem);

/// What lies between padded rows: bytes that look like large numbers.
inline constexpr uint8_t kBetweenRows = 0x77;

/// The bytes of a call. For n = 1 the strides, which a vec_dot must ignore, are absurd on purpose.
CallRequest make_request(const Problem& problem, uint32_t kernel, bool guarded);

/// Where the data of a case come from: its seed mixed with its format, its probe and the numbers that choose data.
uint64_t data_seed(const Case& c);

/// Every probe's name, for messages.
std::string probe_names();

}  // namespace tritcheck::foreign
