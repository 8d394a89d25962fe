// A problem: weights, activations and scales as logical values, what a right kernel answers, and how to put it into the
// bytes of a call. Cases generate problems; diagnosis builds its own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/executor.h"

namespace tritcheck {

struct Problem {
  Op op = Op::dot;
  Layout layout = Layout::x86_128;
  Result result = Result::raw;  ///< dot, rows, acts: raw or centred, as the contract says; a gemv is always scaled
  bool float_out = false;       ///< the integer results are stored as float32
  int64_t k = 0;
  int32_t n = 1;     ///< results: weight rows (rows, gemv), activation rows (acts), 1 (dot)
  int64_t m = 0;     ///< gemv: rows of the whole tensor (>= row0 + n)
  int64_t row0 = 0;  ///< gemv: first row asked for

  std::vector<uint8_t> codes;  ///< weight_rows() * k codes 0..3, row by row
  std::vector<int8_t> q;       ///< act_rows() * k

  float w_scale = 1.0F;            ///< gemv
  float act_scale = 1.0F;          ///< gemv
  std::optional<int32_t> act_sum;  ///< gemv: what the kernel is told; nothing: the true sum

  int64_t w_pad = 0;       ///< bytes between weight rows (rows); a multiple of 4 only for tidiness
  int64_t q_pad = 0;       ///< bytes between activation rows (acts)
  int64_t out_stride = 1;  ///< elements (rows, acts)
  uint32_t w_offset = 0;   ///< start offsets in run B
  uint32_t q_offset = 0;
  uint32_t out_offset = 0;
  int32_t threads = 1;  ///< as CallRequest::threads

  int64_t weight_rows() const { return op == Op::gemv ? m : op == Op::rows ? n : 1; }
  int64_t act_rows() const { return op == Op::acts ? n : 1; }
  i2_s::Shape shape() const { return {k, weight_rows()}; }
};

/// The n right answers: int32 values for the integer operations, float32 values for gemv, both exact as doubles.
/// Asks both oracles; throws std::logic_error if they disagree (that is our bug, not the kernel's).
std::vector<double> expected(const Problem& problem);
/// The same, given the packed codes.
std::vector<double> expected(const Problem& problem, std::span<const uint8_t> packed);
/// The weight codes as bytes, rows without gaps.
std::vector<uint8_t> packed(const Problem& problem);

/// The bytes of a call. Gaps between padded rows hold noise that no right kernel looks at. For op dot the strides,
/// which a kernel must ignore, are absurd on purpose.
CallRequest make_request(const Problem& problem, uint32_t kernel, bool guarded);
CallRequest make_request(const Problem& problem, std::vector<uint8_t> packed, uint32_t kernel, bool guarded);

/// The n results a call left in its output words (run A or B), decoded as expected() gives them.
std::vector<double> answers(const Problem& problem, const std::vector<uint32_t>& words);

}  // namespace tritcheck
