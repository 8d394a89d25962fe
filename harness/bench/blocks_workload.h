// What a benchmark of a dot product of ternary blocks calls: one pass over a tensor of a given size.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/bench/workload.h"
#include "kernels/kernel.h"
#include "reference/ggml_blocks.h"

namespace tritcheck::bench {

/// Rows of kK weights in about `bytes` bytes, and one row of q8_K. A few hundred rows are random, the others repeat
/// them.
class BlocksWorkload {
 public:
  BlocksWorkload(ggml::Type type, int64_t bytes);

  /// Every row once.
  void pass(tritcheck_vec_dot_fn* function);
  /// Why this function must not be timed: makes a pass and compares every result with both oracles; nothing if all are
  /// right.
  std::optional<std::string> why_wrong(std::string_view name, tritcheck_vec_dot_fn* function);

  ggml::Type type() const { return type_; }
  int64_t bytes() const { return rows_ * row_bytes_; }
  int64_t weights() const { return rows_ * kK; }
  const uint8_t* data() const { return x_.data(); }

 private:
  ggml::Type type_;
  int64_t row_bytes_;
  int64_t rows_;
  Aligned<uint8_t> x_;
  Aligned<uint8_t> y_;
  std::vector<float> out_;
};

}  // namespace tritcheck::bench
