// One call of one kernel in this process, compared with both oracles. The developer's tests, the differential fuzzer
// and the benchmark (which refuses to time a wrong kernel) share it; the harness proper calls kernels in guarded
// workers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernel.h"

namespace tritcheck::direct {

/// The data of a call. What an operation does not use is ignored; the shape must be legal for the kernel's layout.
struct Problem {
  i2_s::Shape shape;           ///< op dot and acts use row 0 only; op rows wants rows >= 0, 0 calling with nrc = 0
  int acts = 1;                ///< activation rows, >= 0 for op acts, else 1
  std::vector<uint8_t> codes;  ///< packed, code_bytes(shape) of them: every byte value is legal
  std::vector<int8_t> q;       ///< acts * K, row by row
  size_t w_pad = 0;            ///< bytes by which w_stride exceeds a row's
  size_t q_pad = 0;            ///< bytes by which q_stride exceeds K
  size_t out_stride = 1;       ///< elements, >= 1
  size_t w_offset = 0;         ///< bytes by which the weights are off an aligned start
  size_t q_offset = 0;
  float w_scale = 0.75F;  ///< gemv
  float act_scale = 3.0F;
  int64_t row0 = 0;
  int64_t nrows = 0;
};

/// Calls the kernel on buffers of exactly the legal size (so that a sanitizer sees every stray access). Returns a line
/// that says what is wrong, or nothing. A kernel that cannot run here must not be passed.
std::optional<std::string> check(const Kernel& kernel, const Problem& problem);

/// The same with the right values at hand: they are the same for all kernels of an operation and layout.
std::optional<std::string> check(const Kernel& kernel, const Problem& problem, const std::vector<uint32_t>& right);

/// The values a right kernel returns: raw sums as int32, or for gemv the bits of the floats.
/// Throws std::logic_error if the two oracles disagree.
std::vector<uint32_t> expected(const Kernel& kernel, const Problem& problem);

}  // namespace tritcheck::direct
