#include "engine/fast/i2_s_product.h"

#include <vector>

#include "kernels/i2_s/ops.h"

namespace tritcheck::engine {
namespace {

// Results of one call: small enough to stay in the first-level cache.
constexpr int64_t kRowsPerCall = 64;
// Rows by tokens worked through together, so that both stay near: tokens as many as the kernels for several like best.
constexpr int64_t kTileRows = 32;
constexpr int64_t kTileTokens = 8;

struct Call {
  const Kernel& kernel;
  const Matrix& w;
  int64_t tokens;
  const int8_t* q;
  const float* scale;
  const int32_t* sum;
  float* y;

  float finish(int32_t result, int64_t t) const {
    // a centred result has nothing to subtract
    const int32_t offset = kernel.contract.result == Result::centred ? 0 : sum[t];
    return i2_s::scaled(result, offset, scale[t], w.scale);
  }
  const uint8_t* row(int64_t r) const { return w.bytes.data() + r * (w.k / 4); }
  size_t stride() const { return static_cast<size_t>(w.k / 4); }

  void dots(int64_t begin, int64_t end) const {
    for (int64_t r = begin; r < end; ++r) {
      for (int64_t t = 0; t < tokens; ++t) {
        int32_t out = 0;
        kernel.dot(w.k, &out, 1, row(r), stride(), q + t * w.k, static_cast<size_t>(w.k), 1);
        y[t * w.rows + r] = finish(out, t);
      }
    }
  }
  void rows(int64_t begin, int64_t end) const {
    int32_t out[kRowsPerCall] = {};
    for (int64_t r = begin; r < end; r += kRowsPerCall) {
      const auto count = static_cast<int>(std::min(kRowsPerCall, end - r));
      for (int64_t t = 0; t < tokens; ++t) {
        kernel.dot(w.k, out, 1, row(r), stride(), q + t * w.k, static_cast<size_t>(w.k), count);
        for (int i = 0; i < count; ++i) y[t * w.rows + r + i] = finish(out[i], t);
      }
    }
  }
  void acts(int64_t begin, int64_t end) const {
    for (int64_t r = begin; r < end; r += kTileRows) {
      for (int64_t t = 0; t < tokens; t += kTileTokens)
        tile(r, std::min(end, r + kTileRows), t, std::min(tokens, t + kTileTokens));
    }
  }
  void tile(int64_t row_begin, int64_t row_end, int64_t token_begin, int64_t token_end) const {
    int32_t out[kTileTokens] = {};
    for (int64_t r = row_begin; r < row_end; ++r) {
      kernel.dot(w.k, out, 1, row(r), stride(), q + token_begin * w.k, static_cast<size_t>(w.k),
                 static_cast<int>(token_end - token_begin));
      for (int64_t t = token_begin; t < token_end; ++t) y[t * w.rows + r] = finish(out[t - token_begin], t);
    }
  }
  void gemvs(int64_t begin, int64_t end) const {
    for (int64_t t = 0; t < tokens; ++t) {
      kernel.gemv(w.k, w.rows, y + t * w.rows + begin, w.bytes.data(), q + t * w.k, scale[t], sum[t], begin,
                  end - begin);
    }
  }
};

}  // namespace

void i2_s_product(const Kernel& kernel, const Matrix& w, int64_t tokens, const int8_t* q, const float* scale,
                  const int32_t* sum, int64_t begin, int64_t end, float* y) {
  const Call call{kernel, w, tokens, q, scale, sum, y};
  switch (kernel.contract.op) {
    case Op::dot:
      return call.dots(begin, end);
    case Op::rows:
      return call.rows(begin, end);
    case Op::acts:
      return call.acts(begin, end);
    case Op::gemv:
      return call.gemvs(begin, end);
    case Op::vec_dot:
    case Op::to_float:
    case Op::from_float:
      break;  // of blocks: no plan has it
  }
}

}  // namespace tritcheck::engine
