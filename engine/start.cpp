#include "engine/start.h"

#include "engine/golden/golden.h"

namespace tritcheck::engine {

Started start(const Model& model, const EngineChoice& choice, std::span<const Kernel> registry) {
  Started out;
  out.threads = choice.threads > 0 ? choice.threads : one_per_core();
  if (choice.kernels == "golden") {
    if (choice.act == Act::block) throw PlanError("--act: golden quantises by row or, with none, not at all");
    out.engine =
        std::make_unique<Golden>(model, GoldenOptions{.threads = out.threads, .quantize = choice.act != Act::none});
    out.kernels = "golden, float64 with exact integers";
    return out;
  }
  FastOptions options;
  options.threads = out.threads;
  options.act = choice.act;
  options.fault = choice.fault;
  // read even if no layer needs them: a mistyped name must not pass unnoticed
  options.plan = plan_kernels(choice.kernels, model.layout, detect(), isa_list(choice.isa), registry);
  if (model.has_i2_s) out.kernels = options.plan.text();
  auto fast = std::make_unique<Fast>(model, options);
  out.fast = fast.get();
  out.engine = std::move(fast);
  return out;
}

}  // namespace tritcheck::engine
