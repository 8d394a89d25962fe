// The shape of a model, as its file's metadata state it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/gguf.h"

namespace tritcheck::engine {

/// A model file that is well-formed GGUF but cannot be run: what() is one line that names the key or tensor, its value,
/// and what is supported.
class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What stands between gate and up projection: h = activation(gate) * up.
enum class Activation : uint8_t {
  relu2,  ///< max(x, 0)^2
  silu,   ///< x / (1 + exp(-x))
};
std::string_view name(Activation activation);

/// The architectures are one block graph (sub-norms before the output and down projections, gated feed-forward,
/// grouped-query attention, half-split rotation) under three names; they differ in the activation a file means that
/// does not state one.
struct Config {
  std::string arch;     ///< general.architecture: bitnet, bitnet-b1.58 or bitnet-25
  int64_t context = 0;  ///< positions the model was made for
  int64_t embd = 0;     ///< width of the residual stream
  int64_t ff = 0;       ///< width of the feed-forward part
  int64_t layers = 0;
  int64_t heads = 0;      ///< query heads
  int64_t kv_heads = 0;   ///< key and value heads; query head h uses head h / (heads / kv_heads)
  int64_t head_dim = 0;   ///< embd / heads
  int64_t rope_dims = 0;  ///< leading dimensions of a head that are rotated, an even number
  int64_t vocab = 0;      ///< rows of the embedding
  double rope_base = 0;   ///< dimension pair i turns by position * base^(-2i / rope_dims)
  double rope_scale = 1;  ///< positions are divided by it (linear scaling)
  double eps = 0;         ///< of every RMS norm
  Activation activation = Activation::relu2;
  std::vector<std::string> notices;  ///< what was assumed because the file does not say

  int64_t kv_dim() const { return kv_heads * head_dim; }
};

/// Reads and checks the metadata. Throws ModelError for another architecture, missing or contradictory keys, and
/// gguf::Error for a value of the wrong type.
Config read_config(const gguf::File& file);

}  // namespace tritcheck::engine
