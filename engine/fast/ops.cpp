#include "engine/fast/ops.h"

#include <algorithm>
#include <cmath>

#include "engine/fast/floats.h"

namespace tritcheck::engine {

std::string_view name(Fault fault) {
  constexpr std::string_view names[] = {
      "none",         "relu",     "silu",          "no_attn_sub_norm", "no_ffn_sub_norm", "rope_interleaved",
      "no_rope",      "kv_tiled", "kv_off_by_one", "act_truncate",     "act_per_tensor",  "act_none",
      "zero_row_nan", "all_zero", "prompt_scale",  "position_late"};
  return names[static_cast<size_t>(fault)];
}

}  // namespace tritcheck::engine

namespace tritcheck::engine::ops {
namespace {

constexpr int64_t kPiece = 1 << 14;  // numbers for which it pays to wake a thread

bool has(Fault fault, Fault which) {
  return kGraphFaults && fault == which;
}

}  // namespace

void rms_norm(Threads& threads, std::span<const float> x, std::span<const float> weight, double eps,
              std::vector<float>& out) {
  const size_t n = weight.size();
  out.resize(x.size());
  threads.each(static_cast<int64_t>(x.size() / n), 1, [&](int64_t begin, int64_t end) {
    for (size_t row = static_cast<size_t>(begin) * n; row < static_cast<size_t>(end) * n; row += n) {
      const float squares = float_ops().dot(x.data() + row, x.data() + row, static_cast<int64_t>(n));
      const float scale = 1 / std::sqrt(squares / static_cast<float>(n) + static_cast<float>(eps));
      for (size_t i = 0; i < n; ++i) out[row + i] = x[row + i] * scale * weight[i];
    }
  });
}

void rope(std::vector<float>& x, const Config& c, std::span<const float> factors, int64_t heads, int64_t tokens,
          int64_t position, Fault fault) {
  if (has(fault, Fault::no_rope)) return;
  const auto half = static_cast<size_t>(c.rope_dims / 2);
  const bool neighbours = has(fault, Fault::rope_interleaved);
  const size_t apart = neighbours ? 1 : half;
  std::vector<float> cosine(half);
  std::vector<float> sine(half);
  for (int64_t t = 0; t < tokens; ++t) {
    for (size_t i = 0; i < half; ++i) {
      const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(c.rope_dims);
      double angle = static_cast<double>(position + t) / c.rope_scale * std::pow(c.rope_base, exponent);
      if (!factors.empty()) angle /= static_cast<double>(factors[i]);
      cosine[i] = static_cast<float>(std::cos(angle));
      sine[i] = static_cast<float>(std::sin(angle));
    }
    for (int64_t h = 0; h < heads; ++h) {
      float* head = x.data() + (t * heads + h) * c.head_dim;
      for (size_t i = 0; i < half; ++i) {
        float& first = head[neighbours ? 2 * i : i];
        float& second = head[(neighbours ? 2 * i : i) + apart];
        const float a = first;
        const float b = second;
        first = a * cosine[i] - b * sine[i];
        second = a * sine[i] + b * cosine[i];
      }
    }
  }
}

void attention(Threads& threads, const Config& c, std::span<const float> q, std::span<const float> keys,
               std::span<const float> values, int64_t tokens, int64_t position, Fault fault, std::vector<float>& out) {
  const int64_t d = c.head_dim;
  const int64_t group = c.heads / c.kv_heads;
  const float scale = 1 / std::sqrt(static_cast<float>(d));
  out.assign(q.size(), 0);
  threads.each(tokens * c.heads, 1, [&](int64_t begin, int64_t end) {
    const FloatOps& floats = float_ops();
    std::vector<float> weight;
    for (int64_t item = begin; item < end; ++item) {
      const int64_t t = item / c.heads;
      const int64_t h = item % c.heads;
      const int64_t kv = (has(fault, Fault::kv_tiled) ? h % c.kv_heads : h / group) * d;
      int64_t visible = position + t + 1;
      if (has(fault, Fault::kv_off_by_one) && visible > 1) --visible;
      weight.resize(static_cast<size_t>(visible));
      for (int64_t p = 0; p < visible; ++p)
        weight[static_cast<size_t>(p)] = floats.dot(q.data() + item * d, keys.data() + p * c.kv_dim() + kv, d) * scale;
      const float largest = *std::max_element(weight.begin(), weight.end());
      float sum = 0;
      for (float& w : weight) sum += w = std::exp(w - largest);
      float* mixed = out.data() + item * d;
      for (int64_t p = 0; p < visible; ++p) {
        const float share = weight[static_cast<size_t>(p)] / sum;
        const float* value = values.data() + p * c.kv_dim() + kv;
        for (int64_t i = 0; i < d; ++i) mixed[i] += share * value[i];
      }
    }
  });
}

void gated(Threads& threads, Activation activation, std::span<const float> gate, std::span<const float> up, Fault fault,
           std::vector<float>& out) {
  out.resize(gate.size());
  if (has(fault, Fault::silu)) activation = Activation::silu;
  threads.each(static_cast<int64_t>(out.size()), kPiece, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      const float g = gate[i];
      const float positive = g > 0 ? g : g != g ? g : 0.0F;  // NaN stays NaN
      float activated = activation == Activation::silu ? g / (1 + std::exp(-g)) : positive * positive;
      if (has(fault, Fault::relu)) activated = positive;
      out[i] = activated * up[i];
    }
  });
}

void add(Threads& threads, std::vector<float>& x, std::span<const float> y) {
  threads.each(static_cast<int64_t>(x.size()), kPiece, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) x[i] += y[i];
  });
}

}  // namespace tritcheck::engine::ops
