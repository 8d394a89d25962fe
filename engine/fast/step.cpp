#include "engine/fast/step.h"

#include "engine/fast/fast.h"
#include "engine/fast/ops.h"

namespace tritcheck::engine {
namespace {

const Matrix* find_matrix(const Model& m, const std::string& name) {
  for (const Layer& l : m.layers) {
    for (const Matrix& w : l.linear) {
      if (w.name == name) return &w;
    }
  }
  return nullptr;
}

const std::vector<float>* find_norm(const Model& m, const std::string& name) {
  if (name == "output_norm.weight") return &m.output_norm;
  for (size_t l = 0; l < m.layers.size(); ++l) {
    const std::string prefix = "blk." + std::to_string(l) + ".";
    const Layer& layer = m.layers[l];
    if (name == prefix + "attn_norm.weight") return &layer.attn_norm;
    if (name == prefix + "attn_sub_norm.weight") return &layer.attn_sub_norm;
    if (name == prefix + "ffn_norm.weight") return &layer.ffn_norm;
    if (name == prefix + "ffn_sub_norm.weight") return &layer.ffn_sub_norm;
  }
  return nullptr;
}

// Sizes come over a wire from a program that may be of another version.
void require(bool fits) {
  if (!fits) throw ModelError("a step was asked for with inputs that do not fit this model");
}

size_t size(int64_t a, int64_t b) {
  return static_cast<size_t>(a * b);
}

}  // namespace

StepResult Fast::step(const StepCall& call) {
  const Config& c = model_.config;
  require(call.tokens > 0 && call.position >= 0 && call.tokens <= c.context && call.position <= kMostPositions);
  StepResult out;
  switch (call.step) {
    case Step::rms_norm: {
      const std::vector<float>* weight = find_norm(model_, call.tensor);
      require(weight != nullptr && call.a.size() == weight->size() * static_cast<size_t>(call.tokens));
      norm(call.a, *weight, call.tensor, out.y);
      break;
    }
    case Step::quantize: {
      const Matrix* w = find_matrix(model_, call.tensor);
      require(w != nullptr && call.a.size() == size(call.tokens, w->k));
      Acts acts;
      products_.prepare(call.a, call.tokens, {w}, acts);
      out = {{}, std::move(acts.q), std::move(acts.scale), std::move(acts.sum), {}};
      break;
    }
    case Step::product: {
      const Matrix* w = find_matrix(model_, call.tensor);
      require(w != nullptr);
      Acts acts;
      if (w->encoding != Encoding::i2_s || (options_.act == Act::none && call.q.empty())) {
        require(call.a.size() == size(call.tokens, w->k));
        products_.prepare(call.a, call.tokens, {w}, acts);
        products_.multiply(*w, acts, out.y);
        break;
      }
      const auto tokens = static_cast<size_t>(call.tokens);
      require(call.q.size() == size(call.tokens, w->k) && call.scale.size() == tokens && call.sum.size() == tokens);
      acts.tokens = call.tokens;
      acts.k = w->k;
      acts.q = call.q;
      acts.scale = call.scale;
      acts.sum = call.sum;
      // an engine that does not quantise is given the numbers the codes stand for
      std::vector<float> x;
      for (size_t j = 0; j < acts.q.size(); ++j)
        x.push_back(static_cast<float>(acts.q[j]) / acts.scale[j / static_cast<size_t>(w->k)]);
      acts.x = x;
      products_.multiply(*w, acts, out.y);
      out.kernel = products_.kernel(*w, call.tokens);
      break;
    }
    case Step::rope:
      require(call.heads > 0 && call.a.size() == size(call.tokens, call.heads * c.head_dim));
      out.y = call.a;
      ops::rope(out.y, c, model_.rope_factors, call.heads, call.tokens, call.position, options_.fault);
      break;
    case Step::attention: {
      const size_t cache = size(call.position + call.tokens, c.kv_dim());
      require(call.a.size() == size(call.tokens, c.embd) && call.b.size() == cache && call.c.size() == cache);
      ops::attention(threads_, c, call.a, call.b, call.c, call.tokens, call.position, options_.fault, out.y);
      break;
    }
    case Step::gated:
      require(call.a.size() == call.b.size());
      ops::gated(threads_, c.activation, call.a, call.b, options_.fault, out.y);
      break;
    case Step::add:
      require(call.a.size() == call.b.size());
      out.y = call.a;
      ops::add(threads_, out.y, call.b);
      break;
    case Step::output:
      require(call.a.size() == size(call.tokens, c.embd));
      products_.multiply_plain(model_.output, call.a, call.tokens, out.y);
      break;
  }
  return out;
}

}  // namespace tritcheck::engine
