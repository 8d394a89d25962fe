#include "harness/paris/expected_step.h"

#include <algorithm>
#include <cmath>

#include "engine/fast/floats.h"
#include "reference/epilogue.h"
#include "reference/i8_s.h"
#include "reference/q8_k.h"

namespace tritcheck {
namespace {

constexpr double kU = 0x1p-24;
constexpr double kLeast = 0x1p-149;  // below the smallest normal number a rounding costs half a step of this

double gamma(double m) {
  return m * kU / (1 - m * kU);
}

double lanes(int64_t n) {
  return static_cast<double>((n + engine::kLanes - 1) / engine::kLanes);
}

void put(ExpectedStep& e, double value, double bound) {
  e.value.push_back(value);
  e.bound.push_back(bound);
}

// One row of activations as the engine quantises it: numbers, and blocks with a divisor each.
struct ActRow {
  std::vector<double> values;  // integers, or x itself
  std::vector<double> scale;   // multiplies the sum over a block
  int64_t block = 0;
};

ActRow act_row(std::span<const float> x, bool in_blocks, bool plain) {
  ActRow a;
  a.block = static_cast<int64_t>(x.size());
  if (plain) {
    a.values.assign(x.begin(), x.end());
    a.scale = {1};
  } else if (in_blocks) {
    std::vector<uint8_t> bytes(static_cast<size_t>(q8_k::row_bytes(a.block)));
    q8_k::quantize_row(x, bytes);
    a.block = static_cast<int64_t>(q8_k::kBlock);
    for (size_t at = 0; at < bytes.size(); at += q8_k::kBytes) {
      const q8_k::Block b = q8_k::unpack(std::span(bytes).subspan(at, q8_k::kBytes));
      a.values.insert(a.values.end(), b.q.begin(), b.q.end());
      a.scale.push_back(b.d);
    }
  } else {
    const i8_s::Row row = i8_s::quantize(i8_s::Era::half_even, x);
    a.values.assign(row.q.begin(), row.q.end());
    a.scale = {1 / static_cast<double>(row.scale)};
  }
  return a;
}

}  // namespace

ExpectedStep expected_norm(const std::vector<float>& x, const std::vector<float>& weight, double eps) {
  ExpectedStep e;
  const size_t n = weight.size();
  const double relative = gamma(lanes(static_cast<int64_t>(n)) + 6) / 2 + gamma(7);
  for (size_t row = 0; row < x.size(); row += n) {
    double squares = 0;
    for (size_t i = 0; i < n; ++i) squares += double{x[row + i]} * x[row + i];
    const double scale = 1 / std::sqrt(squares / static_cast<double>(n) + double{static_cast<float>(eps)});
    for (size_t i = 0; i < n; ++i) {
      const double y = x[row + i] * scale * weight[i];
      put(e, y, std::fabs(y) * relative + 2 * kLeast);
    }
  }
  return e;
}

float expected_i2_s(const engine::Matrix& w, const engine::RowReader& row, const engine::StepCall& call,
                    int64_t token) {
  const int8_t* q = call.q.data() + token * w.k;
  int64_t sum = 0;
  for (int64_t j = 0; j < w.k; ++j) sum += row.weights()[static_cast<size_t>(j)] * q[j];
  const float y =
      i2_s::scaled(i2_s::Epilogue::integer_div_mul, sum, 0, call.scale[static_cast<size_t>(token)], w.scale);
  return w.factor == 1 ? y : y * w.factor;
}

ExpectedStep expected_i2_s(const engine::Matrix& w, const engine::StepCall& call) {
  ExpectedStep e;
  const auto cells = static_cast<size_t>(call.tokens * w.rows);
  e.value.resize(cells);
  e.bound.assign(cells, 0);
  engine::RowReader row(w);
  for (int64_t r = 0; r < w.rows; ++r) {
    row.read(r);
    for (int64_t t = 0; t < call.tokens; ++t)
      e.value[static_cast<size_t>(t * w.rows + r)] = expected_i2_s(w, row, call, t);
  }
  return e;
}

ExpectedStep expected_product(const engine::Matrix& w, const std::vector<float>& x, int64_t tokens, engine::Act act) {
  ExpectedStep e;
  const auto cells = static_cast<size_t>(tokens * w.rows);
  e.value.resize(cells);
  e.bound.resize(cells);
  const bool ternary = engine::is_ternary(w.encoding);
  const bool in_blocks = ternary && (act == engine::Act::automatic || act == engine::Act::block);
  std::vector<ActRow> rows;
  for (int64_t t = 0; t < tokens; ++t) {
    rows.push_back(act_row(std::span(x).subspan(static_cast<size_t>(t * w.k), static_cast<size_t>(w.k)), in_blocks,
                           act == engine::Act::none));
  }
  const bool integers = ternary && act != engine::Act::none;
  const double blocks = integers ? static_cast<double>(w.k) / static_cast<double>(q8_k::kBlock) : 0;
  const double roundings = integers ? blocks + 4 : lanes(w.k) + 8;
  engine::RowReader row(w);
  for (int64_t r = 0; r < w.rows; ++r) {
    row.read(r);
    const std::span<const double> weights = row.values();
    for (int64_t t = 0; t < tokens; ++t) {
      const ActRow& a = rows[static_cast<size_t>(t)];
      double sum = 0;
      double magnitude = 0;
      // A block of integers times one weight scale is exact in float64, so that a sum of zero is zero; the activations'
      // scale comes last.
      const int64_t step = integers ? static_cast<int64_t>(q8_k::kBlock) : 1;
      for (int64_t j = 0; j < w.k; j += step) {
        double block = 0;
        for (int64_t i = j; i < std::min(w.k, j + step); ++i)
          block += weights[static_cast<size_t>(i)] * a.values[static_cast<size_t>(i)];
        block *= a.scale[static_cast<size_t>(j / a.block)];
        sum += block;
        magnitude += std::fabs(block);
      }
      const auto cell = static_cast<size_t>(t * w.rows + r);
      e.value[cell] = sum * w.factor;
      // float64 sums of K terms: far below u, but they count too
      e.bound[cell] = (gamma(roundings) * magnitude + 1e-12 * std::fabs(sum)) * std::fabs(w.factor) + 4 * kLeast;
    }
  }
  return e;
}

ExpectedStep expected_rope(const engine::Model& model, const std::vector<float>& x, int64_t heads, int64_t tokens,
                           int64_t position) {
  const engine::Config& c = model.config;
  ExpectedStep e;
  e.value.assign(x.begin(), x.end());
  e.bound.assign(x.size(), 0);
  const int64_t half = c.rope_dims / 2;
  for (int64_t t = 0; t < tokens; ++t) {
    for (int64_t i = 0; i < half; ++i) {
      double angle = static_cast<double>(position + t) / c.rope_scale *
                     std::pow(c.rope_base, -2.0 * static_cast<double>(i) / static_cast<double>(c.rope_dims));
      if (!model.rope_factors.empty()) angle /= model.rope_factors[static_cast<size_t>(i)];
      // the angle itself has some roundings of float64
      const double angle_error = 8 * 0x1p-53 * std::fabs(angle);
      for (int64_t h = 0; h < heads; ++h) {
        const auto first = static_cast<size_t>((t * heads + h) * c.head_dim + i);
        const size_t second = first + static_cast<size_t>(half);
        const double a = x[first];
        const double b = x[second];
        const double ac = a * std::cos(angle);
        const double as = a * std::sin(angle);
        const double bc = b * std::cos(angle);
        const double bs = b * std::sin(angle);
        const double more = angle_error * (std::fabs(a) + std::fabs(b)) + 4 * kLeast;
        e.value[first] = ac - bs;
        e.bound[first] = gamma(4) * (std::fabs(ac) + std::fabs(bs)) + more;
        e.value[second] = as + bc;
        e.bound[second] = gamma(4) * (std::fabs(as) + std::fabs(bc)) + more;
      }
    }
  }
  return e;
}

ExpectedStep expected_attention(const engine::Config& c, const engine::StepCall& call) {
  ExpectedStep e;
  const int64_t d = c.head_dim;
  const double root = 1 / std::sqrt(static_cast<double>(d));
  for (int64_t item = 0; item < call.tokens * c.heads; ++item) {
    const int64_t visible = call.position + item / c.heads + 1;
    const int64_t kv = item % c.heads / (c.heads / c.kv_heads) * d;
    const float* q = call.a.data() + item * d;
    std::vector<double> score;
    double most = 0;  // largest error of a score's sum
    for (int64_t p = 0; p < visible; ++p) {
      double dot = 0;
      double magnitude = 0;
      for (int64_t i = 0; i < d; ++i) {
        const double term = double{q[i]} * call.b[static_cast<size_t>(p * c.kv_dim() + kv + i)];
        dot += term;
        magnitude += std::fabs(term);
      }
      score.push_back(dot * root);
      most = std::max(most, gamma(lanes(d) + 8) * magnitude * root);
    }
    const double largest = *std::max_element(score.begin(), score.end());
    double sum = 0;
    double widest = 0;
    for (double s : score) {
      sum += std::exp(s - largest);
      widest = std::max(widest, 2 * kU * (std::fabs(s) + std::fabs(largest)));
    }
    const double relative = std::expm1(2 * (most + widest)) + gamma(static_cast<double>(2 * visible) + 9);
    for (int64_t i = 0; i < d; ++i) {
      double y = 0;
      double magnitude = 0;
      for (int64_t p = 0; p < visible; ++p) {
        const double term = std::exp(score[static_cast<size_t>(p)] - largest) / sum *
                            call.c[static_cast<size_t>(p * c.kv_dim() + kv + i)];
        y += term;
        magnitude += std::fabs(term);
      }
      put(e, y, relative * magnitude + static_cast<double>(visible) * kLeast);
    }
  }
  return e;
}

ExpectedStep expected_gated(engine::Activation activation, const std::vector<float>& gate,
                            const std::vector<float>& up) {
  ExpectedStep e;
  for (size_t i = 0; i < gate.size(); ++i) {
    const double g = gate[i];
    const bool relu2 = activation == engine::Activation::relu2;
    const double activated = relu2 ? (g > 0 ? g * g : 0) : g / (1 + std::exp(-g));
    const double y = activated * up[i];
    put(e, y, std::fabs(y) * gamma(relu2 ? 3 : 8) + (std::fabs(up[i]) + 1) * kLeast);
  }
  return e;
}

ExpectedStep expected_add(const std::vector<float>& a, const std::vector<float>& b) {
  ExpectedStep e;
  for (size_t i = 0; i < a.size(); ++i) put(e, a[i] + b[i], 0);
  return e;
}

}  // namespace tritcheck
