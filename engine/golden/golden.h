// The golden engine: the block graph in float64, one obvious loop after another, with exact integers in every ternary
// layer. It is what other engines are compared with, so it shares no arithmetic with them.
//
//   Golden golden(model, {.threads = 2});
//   golden.forward(prompt_ids, [&](int64_t i, std::span<const double> logits) { ... });
//   golden.forward(next_id, ...);           // continues behind what it was given before
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "engine/model.h"
#include "engine/threads.h"

namespace tritcheck::engine {

struct GoldenOptions {
  int threads = 1;
  /// Quantise the activations of every linear layer to int8, one scale per row, as these models were trained; else
  /// multiply them as they are.
  bool quantize = true;
  /// Called with the number of tokens in the batch whenever they have passed a layer: golden is slow. May throw; the
  /// sequence must then be rewound.
  std::function<void(int64_t tokens)> layer_done = {};
};

class Golden : public Engine {
 public:
  using Engine::forward;

  explicit Golden(const Model& model, const GoldenOptions& options = {});

  void forward(std::span<const int32_t> ids, const LogitsSink& logits, int64_t first_logits,
               const Trace& trace) override;

 private:
  using Rows = std::vector<double>;  // tokens one after the other

  void embed(std::span<const int32_t> ids, Rows& x);
  void attention_part(size_t l, int64_t tokens, Rows& x, const Trace& trace);
  void feed_forward_part(size_t l, int64_t tokens, Rows& x, const Trace& trace);
  Rows rms_norm(const Rows& x, const std::vector<float>& weight) const;
  Rows linear(const Matrix& w, const Rows& x, int64_t tokens);
  void rope(Rows& x, int64_t heads, int64_t tokens) const;
  Rows attention(size_t l, const Rows& q, int64_t tokens);
  void show(const Trace& trace, std::string_view name, std::string_view op, int64_t layer, int64_t tokens,
            const Rows& values) const;

  const Model& model_;
  GoldenOptions options_;
  Threads threads_;
  std::vector<Rows> keys_;    // per layer: position x kv_dim, rotated
  std::vector<Rows> values_;  // per layer
};

}  // namespace tritcheck::engine
