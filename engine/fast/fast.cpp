#include "engine/fast/fast.h"

#include <algorithm>

#include "engine/fast/ops.h"

namespace tritcheck::engine {
namespace {

constexpr int64_t kLogitTokens = 8;  // computed at a time: a token has up to 128256 of them

// Where the token's row goes in the cache: behind what is there.
void append(std::vector<float>& cache, size_t kept, const std::vector<float>& rows) {
  cache.resize(kept);
  cache.insert(cache.end(), rows.begin(), rows.end());
}

}  // namespace

Fast::Fast(const Model& model, const FastOptions& options)
    : model_(model),
      options_(options),
      threads_(options.threads),
      products_(threads_, options.plan, kGraphFaults && options.fault == Fault::act_none ? Act::none : options.act,
                options.fault),
      keys_(model.layers.size()),
      values_(model.layers.size()) {
  std::vector<std::string_view> tensors;
  for (const Layer& layer : model.layers) {
    for (const Matrix& w : layer.linear) {
      if (w.encoding == Encoding::i2_s) tensors.push_back(w.name);
    }
  }
  options.plan.require_layers(tensors);
}

void Fast::show(const Trace& trace, std::string_view name, std::string_view op, int64_t layer, int64_t tokens,
                const Rows& values) const {
  if (!trace) return;
  const std::vector<double> wide(values.begin(), values.end());
  trace({name, op, layer, position_, static_cast<int64_t>(values.size()) / tokens, wide});
}

void Fast::forward(std::span<const int32_t> ids, const LogitsSink& logits, int64_t first_logits, const Trace& trace) {
  for (int64_t done = 0; done < static_cast<int64_t>(ids.size()); done += kBatch) {
    const auto at = static_cast<size_t>(done);
    batch(ids.subspan(at, std::min<size_t>(kBatch, ids.size() - at)), done, first_logits, logits, trace);
  }
}

void Fast::batch(std::span<const int32_t> ids, int64_t done, int64_t first_logits, const LogitsSink& logits,
                 const Trace& trace) {
  const auto tokens = static_cast<int64_t>(ids.size());
  embed(ids, work_.x);
  show(trace, "inp_embd", "GET_ROWS", -1, tokens, work_.x);
  for (size_t l = 0; l < model_.layers.size(); ++l) {
    attention_part(l, tokens, trace);
    feed_forward_part(l, tokens, trace);
    show(trace, "l_out", "ADD", static_cast<int64_t>(l), tokens, work_.x);
  }
  if (done + tokens > first_logits || trace) {
    norm(work_.x, model_.output_norm, "output_norm", work_.normed);
    show(trace, "result_norm", "RMS_NORM", -1, tokens, work_.normed);
    give_logits(tokens, done, first_logits, logits, trace);
  }
  position_ += tokens;
}

void Fast::norm(std::span<const float> x, const std::vector<float>& weight, std::string_view tensor, Rows& out) {
  const auto left_out = [&](Fault fault, std::string_view name) {
    return kGraphFaults && options_.fault == fault && tensor.find(name) != std::string_view::npos;
  };
  if (left_out(Fault::no_attn_sub_norm, "attn_sub_norm") || left_out(Fault::no_ffn_sub_norm, "ffn_sub_norm")) {
    out.assign(x.begin(), x.end());
  } else {
    ops::rms_norm(threads_, x, weight, model_.config.eps, out);
  }
}

void Fast::embed(std::span<const int32_t> ids, Rows& x) const {
  x.clear();
  RowReader reader(model_.embedding);
  for (int32_t id : ids) {
    model_.check_token(id);
    reader.read(id);
    for (double v : reader.values()) x.push_back(static_cast<float>(v));
  }
}

void Fast::attention_part(size_t l, int64_t tokens, const Trace& trace) {
  const Config& c = model_.config;
  const Layer& layer = model_.layers[l];
  const auto at = static_cast<int64_t>(l);
  auto& [x, normed, q, k, v, mixed, out, up, gate, h, logits, acts] = work_;
  norm(x, layer.attn_norm, "attn_norm", normed);
  show(trace, "attn_norm", "RMS_NORM", at, tokens, normed);
  products_.prepare(normed, tokens, {&layer[Linear::q], &layer[Linear::k], &layer[Linear::v]}, acts);
  products_.multiply(layer[Linear::q], acts, q);
  show(trace, "Qcur", "MUL_MAT", at, tokens, q);
  products_.multiply(layer[Linear::k], acts, k);
  show(trace, "Kcur", "MUL_MAT", at, tokens, k);
  products_.multiply(layer[Linear::v], acts, v);
  show(trace, "Vcur", "MUL_MAT", at, tokens, v);
  int64_t position = position_;
  if (kGraphFaults && options_.fault == Fault::position_late && tokens == 1 && position > 0) ++position;
  ops::rope(q, c, model_.rope_factors, c.heads, tokens, position, options_.fault);
  show(trace, "Qcur", "ROPE", at, tokens, q);
  ops::rope(k, c, model_.rope_factors, c.kv_heads, tokens, position, options_.fault);
  show(trace, "Kcur", "ROPE", at, tokens, k);

  const auto kept = static_cast<size_t>(position_ * c.kv_dim());
  append(keys_[l], kept, k);
  append(values_[l], kept, v);
  ops::attention(threads_, c, q, keys_[l], values_[l], tokens, position_, options_.fault, mixed);
  show(trace, "kqv_out", "FLASH_ATTN_EXT", at, tokens, mixed);
  norm(mixed, layer.attn_sub_norm, "attn_sub_norm", normed);
  show(trace, "attn_sub_norm", "RMS_NORM", at, tokens, normed);
  onto_stream(layer[Linear::out], "attn_o_out", at, tokens, trace);
  show(trace, "ffn_inp", "ADD", at, tokens, x);
}

void Fast::feed_forward_part(size_t l, int64_t tokens, const Trace& trace) {
  const Config& c = model_.config;
  const Layer& layer = model_.layers[l];
  const auto at = static_cast<int64_t>(l);
  auto& [x, normed, q, k, v, mixed, out, up, gate, h, logits, acts] = work_;
  norm(x, layer.ffn_norm, "ffn_norm", normed);
  show(trace, "ffn_norm", "RMS_NORM", at, tokens, normed);
  products_.prepare(normed, tokens, {&layer[Linear::up], &layer[Linear::gate]}, acts);
  products_.multiply(layer[Linear::up], acts, up);
  show(trace, "ffn_up", "MUL_MAT", at, tokens, up);
  products_.multiply(layer[Linear::gate], acts, gate);
  show(trace, "ffn_gate", "MUL_MAT", at, tokens, gate);
  ops::gated(threads_, c.activation, gate, up, options_.fault, h);
  show(trace, "ffn_out", "MUL", at, tokens, h);
  norm(h, layer.ffn_sub_norm, "ffn_sub_norm", normed);
  show(trace, "ffn_sub_norm", "RMS_NORM", at, tokens, normed);
  onto_stream(layer[Linear::down], "ffn_down", at, tokens, trace);
}

void Fast::onto_stream(const Matrix& w, std::string_view name, int64_t layer, int64_t tokens, const Trace& trace) {
  products_.prepare(work_.normed, tokens, {&w}, work_.acts);
  products_.multiply(w, work_.acts, work_.out);
  show(trace, name, "MUL_MAT", layer, tokens, work_.out);
  ops::add(threads_, work_.x, work_.out);
}

void Fast::give_logits(int64_t tokens, int64_t done, int64_t first_logits, const LogitsSink& logits,
                       const Trace& trace) {
  const int64_t embd = model_.config.embd;
  const int64_t vocab = model_.config.vocab;
  const std::span<const float> last(work_.normed);
  for (int64_t first = std::max<int64_t>(0, first_logits - done); first < tokens; first += kLogitTokens) {
    const int64_t count = std::min(kLogitTokens, tokens - first);
    products_.multiply_plain(model_.output,
                             last.subspan(static_cast<size_t>(first * embd), static_cast<size_t>(count * embd)), count,
                             work_.logits);
    const std::vector<double> wide(work_.logits.begin(), work_.logits.end());
    if (trace) trace({"result_output", "MUL_MAT", -1, position_ + first, vocab, wide});
    for (int64_t i = 0; i < count; ++i) {
      logits(done + first + i, std::span(wide).subspan(static_cast<size_t>(i * vocab), static_cast<size_t>(vocab)));
    }
  }
}

}  // namespace tritcheck::engine
