#include "engine/fast/products.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/fast/floats.h"
#include "engine/fast/i2_s_product.h"
#include "reference/q8_k.h"

namespace tritcheck::engine {
namespace {

// Rows a thread takes at a time: a multiple of every layout's row multiple.
constexpr int64_t kRowsPerPiece = 64;

// The quantisers of two engines that were slightly wrong.
[[maybe_unused]] void faulty(Fault fault, std::span<const float> row, std::span<const float> all, int8_t* q,
                             float& scale, int32_t& sum) {
  if (fault == Fault::zero_row_nan && std::all_of(row.begin(), row.end(), [](float v) { return v == 0; }))
    scale = std::numeric_limits<float>::quiet_NaN();
  if (fault != Fault::act_truncate && fault != Fault::act_per_tensor) return;
  const std::span<const float> of = fault == Fault::act_per_tensor ? all : row;
  float largest = 1e-5F;
  for (float v : of) largest = std::max(largest, std::fabs(v));
  scale = 127 / largest;
  sum = 0;
  for (size_t j = 0; j < row.size(); ++j) {
    const float scaled = row[j] * scale;
    q[j] = static_cast<int8_t>(fault == Fault::act_truncate ? std::trunc(scaled) : std::nearbyint(scaled));
    sum += q[j];
  }
}

constexpr float kNotFinite = std::numeric_limits<float>::quiet_NaN();

// reference/i8_s.h's newer era, to the bit. Returns the scale, NaN if a number is not finite.
float quantize(std::span<const float> x, int8_t* q, int32_t& sum) {
  const FloatOps& ops = float_ops();
  const auto n = static_cast<int64_t>(x.size());
  const double largest = ops.largest(x.data(), n);
  if (!std::isfinite(largest)) return kNotFinite;
  const auto scale = static_cast<float>(127 / std::max(largest, 1e-5));
  sum = ops.quantize(x.data(), scale, q, n);
  return scale;
}

}  // namespace

bool Products::in_blocks(const Matrix& w) const {
  const bool takes_blocks = w.encoding == Encoding::tq1_0 || w.encoding == Encoding::tq2_0;
  return takes_blocks && (act_ == Act::block || act_ == Act::automatic);
}

void Products::prepare(std::span<const float> x, int64_t tokens, std::initializer_list<const Matrix*> matrices,
                       Acts& acts) const {
  acts.tokens = tokens;
  acts.k = static_cast<int64_t>(x.size()) / tokens;
  acts.x = x;
  if (act_ == Act::none) return;
  const auto any = [&](auto wants) { return std::any_of(matrices.begin(), matrices.end(), wants); };
  const bool floats = any([](const Matrix* w) { return !is_ternary(w->encoding); });
  const bool blocks = any([this](const Matrix* w) { return in_blocks(*w); });
  const size_t block_bytes = blocks ? static_cast<size_t>(q8_k::row_bytes(acts.k)) : 0;
  const auto k = static_cast<size_t>(acts.k);
  const auto count = static_cast<size_t>(tokens);
  acts.q.resize(x.size());
  acts.scale.assign(count, kNotFinite);
  acts.sum.assign(count, 0);
  acts.q_float.resize(floats ? x.size() : 0);
  acts.blocks.resize(count * block_bytes);
  threads_.each(tokens, 1, [&](int64_t begin, int64_t end) {
    for (auto t = static_cast<size_t>(begin); t < static_cast<size_t>(end); ++t) {
      const std::span<const float> row = x.subspan(t * k, k);
      int8_t* q = acts.q.data() + t * k;
      acts.scale[t] = quantize(row, q, acts.sum[t]);
      if constexpr (kGraphFaults) faulty(fault_, row, x, q, acts.scale[t], acts.sum[t]);
      if (floats) std::copy_n(q, k, acts.q_float.data() + t * k);
      if (blocks && std::isfinite(acts.scale[t]))
        q8_k::quantize_row(row, std::span(acts.blocks).subspan(t * block_bytes, block_bytes));
    }
  });
}

void Products::multiply(const Matrix& w, const Acts& acts, std::vector<float>& y) const {
  y.resize(static_cast<size_t>(acts.tokens * w.rows));
  if (act_ == Act::none) {
    floats(w, acts.x.data(), acts.tokens, nullptr, y);
  } else if (w.encoding == Encoding::i2_s) {
    i2_s(w, acts, y);
  } else if (is_ternary(w.encoding)) {
    ternary_blocks(w, acts, y);
  } else {
    floats(w, acts.q_float.data(), acts.tokens, acts.scale.data(), y);
  }
  if constexpr (kGraphFaults) {
    if (fault_ == Fault::all_zero) std::fill(y.begin(), y.end(), 0.0F);
    // the path for several tokens dequantises, and is handed a scale that nobody set
    if (fault_ == Fault::prompt_scale && acts.tokens > 1) {
      for (float& v : y) v *= 0.37F;
    }
  }
  if (w.factor != 1) {
    for (float& v : y) v *= w.factor;
  }
}

void Products::multiply_plain(const Matrix& w, std::span<const float> x, int64_t tokens, std::vector<float>& y) const {
  y.resize(static_cast<size_t>(tokens * w.rows));
  floats(w, x.data(), tokens, nullptr, y);
}

void Products::i2_s(const Matrix& w, const Acts& acts, std::vector<float>& y) const {
  const Kernel& kernel = plan_.kernel(w.name, acts.tokens);
  threads_.each(w.rows, kRowsPerPiece, [&](int64_t begin, int64_t end) {
    i2_s_product(kernel, w, acts.tokens, acts.q.data(), acts.scale.data(), acts.sum.data(), begin, end, y.data());
  });
}

// TQ1_0 and TQ2_0: exact integers for each block of 256, then in block order d_x * d_y * sum in float32.
void Products::ternary_blocks(const Matrix& w, const Acts& acts, std::vector<float>& y) const {
  const bool blocks = in_blocks(w);
  const size_t act_bytes = blocks ? static_cast<size_t>(q8_k::row_bytes(w.k)) : 0;
  threads_.each(w.rows, kRowsPerPiece, [&](int64_t begin, int64_t end) {
    RowReader row(w);
    for (int64_t r = begin; r < end; ++r) {
      row.read(r);
      for (int64_t t = 0; t < acts.tokens; ++t) {
        const int8_t* q = acts.q.data() + t * w.k;
        float sum = 0;
        for (size_t b = 0; b < row.scales().size(); ++b) {
          float scale = row.scales()[b];
          const int8_t* part = q + static_cast<int64_t>(b * q8_k::kBlock);
          q8_k::Block act;
          if (blocks) {
            const size_t at = static_cast<size_t>(t) * act_bytes + b * q8_k::kBytes;
            act = q8_k::unpack(std::span(acts.blocks).subspan(at, q8_k::kBytes));
            scale *= act.d;
            part = act.q.data();
          }
          int32_t dot = 0;
          for (size_t j = 0; j < q8_k::kBlock; ++j) dot += row.weights()[b * q8_k::kBlock + j] * part[j];
          sum += scale * static_cast<float>(dot);
        }
        const float scale = acts.scale[static_cast<size_t>(t)];
        y[static_cast<size_t>(t * w.rows + r)] = blocks && !std::isnan(scale) ? sum : sum / scale;
      }
    }
  });
}

void Products::floats(const Matrix& w, const float* x, int64_t tokens, const float* scales,
                      std::vector<float>& y) const {
  const FloatOps& ops = float_ops();
  threads_.each(w.rows, kRowsPerPiece, [&](int64_t begin, int64_t end) {
    std::vector<float> decoded(static_cast<size_t>(w.k));
    RowReader reader(w);
    for (int64_t r = begin; r < end; ++r) {
      const uint8_t* bytes = w.bytes.data() + r * w.row_bytes();
      const bool direct = w.encoding == Encoding::f16 || w.encoding == Encoding::bf16 || w.encoding == Encoding::f32;
      if (!direct) {
        reader.read(r);
        for (size_t j = 0; j < decoded.size(); ++j) decoded[j] = static_cast<float>(reader.values()[j]);
      }
      for (int64_t t = 0; t < tokens; ++t) {
        const float* act = x + t * w.k;
        float v = 0;
        if (w.encoding == Encoding::f16) {
          v = ops.dot_f16(reinterpret_cast<const uint16_t*>(bytes), act, w.k);
        } else if (w.encoding == Encoding::bf16) {
          v = ops.dot_bf16(reinterpret_cast<const uint16_t*>(bytes), act, w.k);
        } else {
          v = ops.dot(direct ? reinterpret_cast<const float*>(bytes) : decoded.data(), act, w.k);
        }
        y[static_cast<size_t>(t * w.rows + r)] = scales == nullptr ? v : v / scales[t];
      }
    }
  });
}

}  // namespace tritcheck::engine
