// The fast engine: the same graph in float32, on the registered kernels, threaded, with a batched prompt.
//
//   const Plan plan = plan_kernels("auto", model.layout, detect(), {}, kernels());
//   Fast fast(model, {.threads = 2, .plan = plan});
//   fast.forward(prompt_ids, [&](int64_t i, std::span<const double> logits) { ... });
//
// Any split of a sequence into calls, any number of threads: the same bits, if the kernels for one and for several
// tokens are right.
#pragma once

#include <span>
#include <vector>

#include "engine/engine.h"
#include "engine/fast/fault.h"
#include "engine/fast/products.h"
#include "engine/fast/step.h"
#include "engine/model.h"

namespace tritcheck::engine {

struct FastOptions {
  int threads = 1;
  Plan plan;  ///< both kernels are set if the model has I2_S layers
  Act act = Act::automatic;
  Fault fault = Fault::none;  ///< ignored but in the test build
};

class Fast : public Engine {
 public:
  using Engine::forward;

  /// Throws PlanError if the plan names a layer that the model does not have.
  Fast(const Model& model, const FastOptions& options);

  /// A prompt is worked through in batches of kBatch tokens.
  void forward(std::span<const int32_t> ids, const LogitsSink& logits, int64_t first_logits,
               const Trace& trace) override;

  static constexpr int64_t kBatch = 64;

  /// One step by itself, with the kernels and switches of this engine; the sequence is not touched. Throws ModelError
  /// for inputs whose sizes do not fit.
  StepResult step(const StepCall& call);

 private:
  using Rows = std::vector<float>;
  static constexpr int64_t kMostPositions = int64_t{1} << 24;

  // What a batch is worked out in, kept from call to call: memory that is fresh costs more than what is done with it.
  struct Work {
    Rows x, normed, q, k, v, mixed, out, up, gate, h, logits;
    Acts acts;
  };

  void norm(std::span<const float> x, const std::vector<float>& weight, std::string_view tensor, Rows& out);

  void batch(std::span<const int32_t> ids, int64_t done, int64_t first_logits, const LogitsSink& logits,
             const Trace& trace);
  void embed(std::span<const int32_t> ids, Rows& x) const;
  void attention_part(size_t l, int64_t tokens, const Trace& trace);
  void feed_forward_part(size_t l, int64_t tokens, const Trace& trace);
  // What was normed last, through a layer and onto the residual stream.
  void onto_stream(const Matrix& w, std::string_view name, int64_t layer, int64_t tokens, const Trace& trace);
  void give_logits(int64_t tokens, int64_t done, int64_t first_logits, const LogitsSink& logits, const Trace& trace);
  void show(const Trace& trace, std::string_view name, std::string_view op, int64_t layer, int64_t tokens,
            const Rows& values) const;

  const Model& model_;
  FastOptions options_;
  Threads threads_;
  Products products_;
  Work work_;
  std::vector<Rows> keys_;    // per layer: position x kv_dim, rotated
  std::vector<Rows> values_;  // per layer
};

}  // namespace tritcheck::engine
