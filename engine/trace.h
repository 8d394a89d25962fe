// What an engine shows of its inside, under the names llama.cpp's graph gives to the same tensors.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace tritcheck::engine {

/// One tensor of the graph: `rows` tokens of `cols` numbers. Two steps may share a name, as in llama.cpp, where Qcur-0
/// is first the product (MUL_MAT) and then the rotated one (ROPE).
struct TraceStep {
  std::string_view name;  ///< "attn_norm", without the layer
  std::string_view op;    ///< ggml's name of the operation: "MUL_MAT", "RMS_NORM", "ROPE", ...
  int64_t layer = -1;     ///< -1: outside the blocks
  int64_t position = 0;   ///< of the first row in the sequence
  int64_t cols = 0;
  std::span<const double> values;

  /// "attn_norm-3", "result_norm"
  std::string full_name() const {
    return layer < 0 ? std::string(name) : std::string(name) + "-" + std::to_string(layer);
  }
};

/// Called for each step while the graph runs; the values are gone when it returns. result_output comes in pieces.
using Trace = std::function<void(const TraceStep&)>;

/// The logits of one token: its index in the batch and `vocab` numbers, gone when it returns.
using LogitsSink = std::function<void(int64_t index, std::span<const double> logits)>;

}  // namespace tritcheck::engine
