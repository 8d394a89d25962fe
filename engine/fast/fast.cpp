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
      values_(model.layers.size()) {}

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
  Rows x = embed(ids);
  show(trace, "inp_embd", "GET_ROWS", -1, tokens, x);
  for (size_t l = 0; l < model_.layers.size(); ++l) {
    attention_part(l, tokens, x, trace);
    feed_forward_part(l, tokens, x, trace);
    show(trace, "l_out", "ADD", static_cast<int64_t>(l), tokens, x);
  }
  if (done + tokens > first_logits || trace) {
    const Rows last = norm(x, model_.output_norm, "output_norm");
    show(trace, "result_norm", "RMS_NORM", -1, tokens, last);
    give_logits(last, tokens, done, first_logits, logits, trace);
  }
  position_ += tokens;
}

Fast::Rows Fast::norm(std::span<const float> x, const std::vector<float>& weight, std::string_view tensor) const {
  const auto left_out = [&](Fault fault, std::string_view name) {
    return kGraphFaults && options_.fault == fault && tensor.find(name) != std::string_view::npos;
  };
  if (left_out(Fault::no_attn_sub_norm, "attn_sub_norm") || left_out(Fault::no_ffn_sub_norm, "ffn_sub_norm"))
    return {x.begin(), x.end()};
  return ops::rms_norm(x, weight, model_.config.eps);
}

Fast::Rows Fast::embed(std::span<const int32_t> ids) const {
  Rows x;
  RowReader reader(model_.embedding);
  for (int32_t id : ids) {
    model_.check_token(id);
    reader.read(id);
    for (double v : reader.values()) x.push_back(static_cast<float>(v));
  }
  return x;
}

void Fast::attention_part(size_t l, int64_t tokens, Rows& x, const Trace& trace) {
  const Config& c = model_.config;
  const Layer& layer = model_.layers[l];
  const auto at = static_cast<int64_t>(l);
  const Rows a = norm(x, layer.attn_norm, "attn_norm");
  show(trace, "attn_norm", "RMS_NORM", at, tokens, a);
  const Acts acts = products_.prepare(a, tokens, {&layer[Linear::q], &layer[Linear::k], &layer[Linear::v]});
  Rows q = products_.multiply(layer[Linear::q], acts);
  show(trace, "Qcur", "MUL_MAT", at, tokens, q);
  Rows k = products_.multiply(layer[Linear::k], acts);
  show(trace, "Kcur", "MUL_MAT", at, tokens, k);
  const Rows v = products_.multiply(layer[Linear::v], acts);
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
  Rows mixed = ops::attention(threads_, c, q, keys_[l], values_[l], tokens, position_, options_.fault);
  show(trace, "kqv_out", "FLASH_ATTN_EXT", at, tokens, mixed);
  mixed = norm(mixed, layer.attn_sub_norm, "attn_sub_norm");
  show(trace, "attn_sub_norm", "RMS_NORM", at, tokens, mixed);
  const Rows out = products_.multiply(layer[Linear::out], products_.prepare(mixed, tokens, {&layer[Linear::out]}));
  show(trace, "attn_o_out", "MUL_MAT", at, tokens, out);
  ops::add(x, out);
  show(trace, "ffn_inp", "ADD", at, tokens, x);
}

void Fast::feed_forward_part(size_t l, int64_t tokens, Rows& x, const Trace& trace) {
  const Config& c = model_.config;
  const Layer& layer = model_.layers[l];
  const auto at = static_cast<int64_t>(l);
  const Rows f = norm(x, layer.ffn_norm, "ffn_norm");
  show(trace, "ffn_norm", "RMS_NORM", at, tokens, f);
  const Acts acts = products_.prepare(f, tokens, {&layer[Linear::up], &layer[Linear::gate]});
  const Rows up = products_.multiply(layer[Linear::up], acts);
  show(trace, "ffn_up", "MUL_MAT", at, tokens, up);
  const Rows gate = products_.multiply(layer[Linear::gate], acts);
  show(trace, "ffn_gate", "MUL_MAT", at, tokens, gate);
  Rows h = ops::gated(c.activation, gate, up, options_.fault);
  show(trace, "ffn_out", "MUL", at, tokens, h);
  h = norm(h, layer.ffn_sub_norm, "ffn_sub_norm");
  show(trace, "ffn_sub_norm", "RMS_NORM", at, tokens, h);
  const Rows down = products_.multiply(layer[Linear::down], products_.prepare(h, tokens, {&layer[Linear::down]}));
  show(trace, "ffn_down", "MUL_MAT", at, tokens, down);
  ops::add(x, down);
}

void Fast::give_logits(const Rows& last, int64_t tokens, int64_t done, int64_t first_logits, const LogitsSink& logits,
                       const Trace& trace) {
  const int64_t embd = model_.config.embd;
  const int64_t vocab = model_.config.vocab;
  for (int64_t first = std::max<int64_t>(0, first_logits - done); first < tokens; first += kLogitTokens) {
    const int64_t count = std::min(kLogitTokens, tokens - first);
    const Rows out = products_.multiply_plain(
        model_.output, std::span(last).subspan(static_cast<size_t>(first * embd), static_cast<size_t>(count * embd)),
        count);
    const std::vector<double> wide(out.begin(), out.end());
    if (trace) trace({"result_output", "MUL_MAT", -1, position_ + first, vocab, wide});
    for (int64_t i = 0; i < count; ++i) {
      logits(done + first + i, std::span(wide).subspan(static_cast<size_t>(i * vocab), static_cast<size_t>(vocab)));
    }
  }
}

}  // namespace tritcheck::engine
