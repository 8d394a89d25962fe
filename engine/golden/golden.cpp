#include "engine/golden/golden.h"

#include <algorithm>
#include <cmath>

#include "engine/golden/products.h"

namespace tritcheck::engine {

Golden::Golden(const Model& model, const GoldenOptions& options)
    : model_(model),
      options_(options),
      threads_(options.threads),
      keys_(model.layers.size()),
      values_(model.layers.size()) {}

void Golden::show(const Trace& trace, std::string_view name, std::string_view op, int64_t layer, int64_t tokens,
                  const Rows& values) const {
  if (trace) trace({name, op, layer, position_, static_cast<int64_t>(values.size()) / tokens, values});
}

void Golden::forward(std::span<const int32_t> ids, const LogitsSink& logits, int64_t first_logits, const Trace& trace) {
  const auto tokens = static_cast<int64_t>(ids.size());
  if (tokens == 0) return;
  Rows x;
  embed(ids, x);
  show(trace, "inp_embd", "GET_ROWS", -1, tokens, x);
  for (size_t l = 0; l < model_.layers.size(); ++l) {
    attention_part(l, tokens, x, trace);
    feed_forward_part(l, tokens, x, trace);
    show(trace, "l_out", "ADD", static_cast<int64_t>(l), tokens, x);
    if (options_.layer_done) options_.layer_done(tokens);
  }
  const Rows last = rms_norm(x, model_.output_norm);
  show(trace, "result_norm", "RMS_NORM", -1, tokens, last);
  const int64_t embd = model_.config.embd;
  for (int64_t first = first_logits; first < tokens; first += kLogitTokens) {
    const int64_t count = std::min<int64_t>(kLogitTokens, tokens - first);
    const Rows some(last.begin() + first * embd, last.begin() + (first + count) * embd);
    const Rows out = plain_product(threads_, model_.output, some, count);
    if (trace) trace({"result_output", "MUL_MAT", -1, position_ + first, model_.config.vocab, out});
    const auto vocab = static_cast<size_t>(model_.config.vocab);
    for (int64_t i = 0; i < count; ++i)
      logits(first + i, std::span(out).subspan(static_cast<size_t>(i) * vocab, vocab));
  }
  position_ += tokens;
}

void Golden::embed(std::span<const int32_t> ids, Rows& x) {
  RowReader reader(model_.embedding);
  for (int32_t id : ids) {
    model_.check_token(id);
    reader.read(id);
    x.insert(x.end(), reader.values().begin(), reader.values().end());
  }
}

void Golden::attention_part(size_t l, int64_t tokens, Rows& x, const Trace& trace) {
  const Config& c = model_.config;
  const Layer& layer = model_.layers[l];
  const auto at = static_cast<int64_t>(l);
  const Rows a = rms_norm(x, layer.attn_norm);
  show(trace, "attn_norm", "RMS_NORM", at, tokens, a);
  Rows q = linear(layer[Linear::q], a, tokens);
  show(trace, "Qcur", "MUL_MAT", at, tokens, q);
  Rows k = linear(layer[Linear::k], a, tokens);
  show(trace, "Kcur", "MUL_MAT", at, tokens, k);
  const Rows v = linear(layer[Linear::v], a, tokens);
  show(trace, "Vcur", "MUL_MAT", at, tokens, v);
  rope(q, c.heads, tokens);
  show(trace, "Qcur", "ROPE", at, tokens, q);
  rope(k, c.kv_heads, tokens);
  show(trace, "Kcur", "ROPE", at, tokens, k);

  const auto kept = static_cast<size_t>(position_ * c.kv_dim());
  keys_[l].resize(kept);
  keys_[l].insert(keys_[l].end(), k.begin(), k.end());
  values_[l].resize(kept);
  values_[l].insert(values_[l].end(), v.begin(), v.end());

  const Rows mixed = attention(l, q, tokens);
  show(trace, "kqv_out", "FLASH_ATTN_EXT", at, tokens, mixed);
  const Rows normed = rms_norm(mixed, layer.attn_sub_norm);
  show(trace, "attn_sub_norm", "RMS_NORM", at, tokens, normed);
  const Rows out = linear(layer[Linear::out], normed, tokens);
  show(trace, "attn_o_out", "MUL_MAT", at, tokens, out);
  for (size_t i = 0; i < x.size(); ++i) x[i] += out[i];
  show(trace, "ffn_inp", "ADD", at, tokens, x);
}

void Golden::feed_forward_part(size_t l, int64_t tokens, Rows& x, const Trace& trace) {
  const Layer& layer = model_.layers[l];
  const auto at = static_cast<int64_t>(l);
  const Rows f = rms_norm(x, layer.ffn_norm);
  show(trace, "ffn_norm", "RMS_NORM", at, tokens, f);
  const Rows up = linear(layer[Linear::up], f, tokens);
  show(trace, "ffn_up", "MUL_MAT", at, tokens, up);
  const Rows gate = linear(layer[Linear::gate], f, tokens);
  show(trace, "ffn_gate", "MUL_MAT", at, tokens, gate);
  Rows h(gate.size());
  for (size_t i = 0; i < h.size(); ++i) {
    const double g = gate[i];
    const double activated =
        model_.config.activation == Activation::relu2 ? (g > 0 ? g * g : 0) : g / (1 + std::exp(-g));
    h[i] = activated * up[i];
  }
  show(trace, "ffn_out", "MUL", at, tokens, h);
  const Rows normed = rms_norm(h, layer.ffn_sub_norm);
  show(trace, "ffn_sub_norm", "RMS_NORM", at, tokens, normed);
  const Rows down = linear(layer[Linear::down], normed, tokens);
  show(trace, "ffn_down", "MUL_MAT", at, tokens, down);
  for (size_t i = 0; i < x.size(); ++i) x[i] += down[i];
}

// x / sqrt(mean(x^2) + eps) * weight, row by row.
Golden::Rows Golden::rms_norm(const Rows& x, const std::vector<float>& weight) const {
  const size_t n = weight.size();
  Rows out(x.size());
  for (size_t row = 0; row < x.size(); row += n) {
    double squares = 0;
    for (size_t i = 0; i < n; ++i) squares += x[row + i] * x[row + i];
    const double scale = 1 / std::sqrt(squares / static_cast<double>(n) + model_.config.eps);
    for (size_t i = 0; i < n; ++i) out[row + i] = x[row + i] * scale * weight[i];
  }
  return out;
}

Golden::Rows Golden::linear(const Matrix& w, const Rows& x, int64_t tokens) {
  return options_.quantize ? quantized_product(threads_, w, x, tokens) : plain_product(threads_, w, x, tokens);
}

// Dimension i of a head turns together with dimension i + rope_dims / 2.
void Golden::rope(Rows& x, int64_t heads, int64_t tokens) const {
  const Config& c = model_.config;
  const int64_t half = c.rope_dims / 2;
  for (int64_t t = 0; t < tokens; ++t) {
    for (int64_t i = 0; i < half; ++i) {
      double angle = static_cast<double>(position_ + t) / c.rope_scale *
                     std::pow(c.rope_base, -2.0 * static_cast<double>(i) / static_cast<double>(c.rope_dims));
      if (!model_.rope_factors.empty()) angle /= model_.rope_factors[static_cast<size_t>(i)];
      const double cosine = std::cos(angle);
      const double sine = std::sin(angle);
      for (int64_t h = 0; h < heads; ++h) {
        double* head = x.data() + (t * heads + h) * c.head_dim;
        const double a = head[i];
        const double b = head[i + half];
        head[i] = a * cosine - b * sine;
        head[i + half] = a * sine + b * cosine;
      }
    }
  }
}

Golden::Rows Golden::attention(size_t l, const Rows& q, int64_t tokens) {
  const Config& c = model_.config;
  const int64_t d = c.head_dim;
  const int64_t group = c.heads / c.kv_heads;
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  Rows out(q.size());
  threads_.each(tokens * c.heads, 1, [&](int64_t begin, int64_t end) {
    std::vector<double> weight;
    for (int64_t item = begin; item < end; ++item) {
      const int64_t t = item / c.heads;
      const int64_t h = item % c.heads;
      const int64_t visible = position_ + t + 1;
      const double* query = q.data() + item * d;
      const double* keys = keys_[l].data() + h / group * d;
      const double* values = values_[l].data() + h / group * d;
      weight.assign(static_cast<size_t>(visible), 0);
      for (int64_t p = 0; p < visible; ++p) {
        double dot = 0;
        for (int64_t i = 0; i < d; ++i) dot += query[i] * keys[p * c.kv_dim() + i];
        weight[static_cast<size_t>(p)] = dot * scale;
      }
      const double largest = *std::max_element(weight.begin(), weight.end());
      double sum = 0;
      for (double& w : weight) sum += w = std::exp(w - largest);
      double* mixed = out.data() + item * d;
      for (int64_t p = 0; p < visible; ++p) {
        const double share = weight[static_cast<size_t>(p)] / sum;
        for (int64_t i = 0; i < d; ++i) mixed[i] += share * values[p * c.kv_dim() + i];
      }
    }
  });
  return out;
}

}  // namespace tritcheck::engine
