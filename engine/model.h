// A loaded model: the configuration and the tensors of a file, checked against each other and used in place.
//
//   gguf::File file = gguf::parse(mapped.bytes());
//   engine::Model model = engine::load(file, {.layout = i2_s::Layout::x86_128});   // throws engine::ModelError
//   engine::Golden golden(model, {.threads = 2});
#pragma once

#include <optional>
#include <vector>

#include "engine/config.h"
#include "engine/matrix.h"

namespace tritcheck::engine {

/// The linear layers of a block, in the order they run.
enum class Linear : uint8_t { q, k, v, out, gate, up, down };
inline constexpr Linear kLinears[] = {Linear::q,    Linear::k,  Linear::v,   Linear::out,
                                      Linear::gate, Linear::up, Linear::down};
/// The tensor's name within its block: "attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down".
std::string_view name(Linear linear);

struct Layer {
  std::vector<float> attn_norm, attn_sub_norm, ffn_norm, ffn_sub_norm;
  Matrix linear[std::size(kLinears)];  ///< indexed by Linear

  const Matrix& operator[](Linear l) const { return linear[static_cast<size_t>(l)]; }
};

struct Model {
  Config config;
  Matrix embedding;  ///< vocab x embd: row t is what token t puts into the residual stream
  Matrix output;     ///< vocab x embd; the embedding itself if tied
  bool tied = true;
  std::vector<float> output_norm;
  std::vector<float> rope_factors;  ///< rope_dims / 2 divisors of the rotation's frequencies; empty: none
  std::vector<Layer> layers;

  /// All I2_S tensors are read in this layout; nothing in a file says which it has.
  i2_s::Layout layout = i2_s::Layout::x86_128;
  bool has_i2_s = false;

  /// Throws ModelError for an id that this model does not have.
  void check_token(int32_t id) const;
};

struct LoadOptions {
  i2_s::Layout layout = i2_s::Layout::x86_128;
};

/// Reads the configuration and finds every tensor the graph needs. `file` must outlive the model. Throws ModelError if
/// a tensor is missing, has another shape than the configuration says, or a type that is not supported there:
/// linear layers F32, F16, BF16, I2_S, TQ1_0, TQ2_0; embedding and output F32, F16, BF16, Q8_0, Q6_K; norms F32.
Model load(const gguf::File& file, const LoadOptions& options = {});

}  // namespace tritcheck::engine
