// A problem: the bytes of a call, what a right kernel answers, and how far from it an answer may be. Cases generate
// problems; diagnosis builds its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/cases/case.h"
#include "harness/protocol/executor.h"

namespace tritcheck {

struct Problem {
  Op op = Op::dot;
  std::string format = "i2_s";
  std::string acts = {};            ///< vec_dot: the format of the activations
  Layout layout = Layout::x86_128;  ///< i2_s
  Result result = Result::raw;      ///< dot, rows, acts: raw or centred, as the contract says; a gemv is always scaled
  bool float_out = false;           ///< the integer results are stored as float32
  int64_t k = 0;
  int32_t n = 1;     ///< results: weight rows (rows, gemv), activation rows (acts); vec_dot: rows of both
  int64_t m = 0;     ///< gemv: rows of the whole tensor (>= row0 + n)
  int64_t row0 = 0;  ///< gemv: first row asked for

  std::vector<uint8_t> x = {};  ///< rows of weights without gaps; from_float: k floats
  std::vector<uint8_t> y = {};  ///< rows of activations without gaps

  float w_scale = 1.0F;                 ///< gemv
  float act_scale = 1.0F;               ///< gemv
  std::optional<int32_t> act_sum = {};  ///< gemv: what the kernel is told; nothing: the true sum

  int64_t w_pad = 0;       ///< bytes between weight rows
  int64_t q_pad = 0;       ///< bytes between activation rows
  int64_t out_stride = 1;  ///< elements
  uint32_t w_offset = 0;   ///< start offsets in run B
  uint32_t q_offset = 0;
  uint32_t out_offset = 0;
  int32_t threads = 1;  ///< as CallRequest::threads

  bool of_i2_s() const { return format == "i2_s"; }
  int64_t weight_rows() const { return op == Op::gemv ? m : op == Op::rows || op == Op::vec_dot ? n : 1; }
  int64_t act_rows() const { return op == Op::acts || op == Op::vec_dot ? n : 1; }
  i2_s::Shape shape() const { return {k, weight_rows()}; }
};

/// A problem of I2_S by its numbers.
struct I2sProblem : Problem {
  std::vector<uint8_t> codes;  ///< weight_rows() * k codes 0..3, row by row
  std::vector<int8_t> q;       ///< act_rows() * k

  /// Puts them into x and y.
  void pack();
};

/// What must be in the output.
struct Expectation {
  std::vector<size_t> words;   ///< which output words hold the results; from_float: empty
  std::vector<double> values;  ///< numbers; from_float: the bytes, as one right quantiser writes them
  std::vector<double> bounds;  ///< |result - value| <= bound; infinity where nothing is promised but "not finite"
  std::vector<std::vector<uint8_t>> rows;  ///< from_float: any of these rows is right
  std::vector<bool> ignored;               ///< from_float: bytes whose content nobody promises
  double unit = 0;  ///< vec_dot: the smallest contribution of a weight block that is not zero; 0 if all are
};

/// The problem a case stands for, under a contract of the strictest promises. Throws std::invalid_argument if its shape
/// or a parameter is illegal (the caller counts it as a skip), its probe is unknown, or it is a case on real weights.
Problem make_problem(const Case& c);
/// Throws std::invalid_argument with the reason if the contract allows no such call.
void require_allowed(const Contract& contract, const Problem& problem);
/// A case says what goes in, the contract what comes out. Throws as require_allowed().
void bind(const Contract& contract, Problem& problem);
/// A small one for a function of blocks, whose answer is not zero.
Problem smoke_problem(const KernelInfo& function);

/// Asks both oracles; throws std::logic_error if they disagree (that is our bug, not the kernel's), and
/// std::invalid_argument where nothing is defined for these data.
Expectation expected(const Problem& problem);

/// What lies between padded rows of blocks: bytes that look like large numbers.
inline constexpr uint8_t kBetweenRows = 0x77;

/// The bytes of a call. What lies between padded rows no right kernel looks at. Where a call has one result, the
/// strides, which a kernel must ignore, are absurd on purpose.
CallRequest make_request(const Problem& problem, uint32_t kernel, bool guarded);

/// The results a call left in its output words (run A or B): numbers, or for a quantiser bytes.
std::vector<double> answers(const Problem& problem, const std::vector<uint32_t>& words);

/// Where the data of a case come from: its seed mixed with its probe, the numbers that choose data and, for blocks, the
/// format, but not with the shape and the memory parameters. So a smaller shape holds a prefix of the same rows, and
/// shrinking keeps the data.
uint64_t data_seed(const Case& c);

}  // namespace tritcheck
