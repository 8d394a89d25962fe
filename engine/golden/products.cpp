#include "engine/golden/products.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/i8_s.h"

namespace tritcheck::engine {
namespace {

// Rows of the matrix that one thread takes at a time.
constexpr int64_t kRowsPerPiece = 16;

// A row that is not a number stays so: its products are 0 / NaN.
i8_s::GoldenRow quantized(std::span<const double> x) {
  for (double v : x) {
    if (!std::isfinite(v)) return {std::vector<int8_t>(x.size()), std::numeric_limits<double>::quiet_NaN(), 0};
  }
  return i8_s::quantize_golden(x);
}

// Sixteen bits, because that is what every CPU multiplies and adds in one instruction; compilers find it.
using Words = std::vector<int16_t>;

int64_t integer_dot(const int16_t* w, const int16_t* q, int64_t n) {
  int64_t sum = 0;
  // a product is at most 2 * 128: 2^22 of them fit 32 bits
  constexpr int64_t kFits = int64_t{1} << 22;
  for (int64_t begin = 0; begin < n; begin += kFits) {
    const int64_t end = std::min(n, begin + kFits);
    int32_t part = 0;
    for (int64_t j = begin; j < end; ++j) part += w[j] * q[j];
    sum += part;
  }
  return sum;
}

double ternary_row(const RowReader& row, const Words& weights, const Words& q, double act_scale) {
  const int64_t block = row.block();
  double y = 0;
  for (size_t b = 0; b < row.scales().size(); ++b) {
    const int64_t at = static_cast<int64_t>(b) * block;
    y += static_cast<double>(row.scales()[b]) *
         static_cast<double>(integer_dot(weights.data() + at, q.data() + at, block));
  }
  return y / act_scale;
}

double float_row(std::span<const double> weights, const i8_s::GoldenRow& act) {
  double sum = 0;
  for (size_t j = 0; j < weights.size(); ++j) sum += weights[j] * act.q[j];
  return sum / act.scale;
}

}  // namespace

std::vector<double> quantized_product(Threads& threads, const Matrix& w, const std::vector<double>& x, int64_t tokens) {
  const auto k = static_cast<size_t>(w.k);
  std::vector<i8_s::GoldenRow> acts;
  for (int64_t t = 0; t < tokens; ++t) acts.push_back(quantized(std::span(x).subspan(static_cast<size_t>(t) * k, k)));
  std::vector<Words> codes;
  for (const i8_s::GoldenRow& act : acts) codes.emplace_back(act.q.begin(), act.q.end());
  std::vector<double> y(static_cast<size_t>(tokens * w.rows));
  threads.each(w.rows, kRowsPerPiece, [&](int64_t begin, int64_t end) {
    RowReader row(w);
    Words weights;
    for (int64_t r = begin; r < end; ++r) {
      row.read(r);
      weights.assign(row.weights().begin(), row.weights().end());
      for (int64_t t = 0; t < tokens; ++t) {
        const auto at = static_cast<size_t>(t);
        const double v = is_ternary(w.encoding) ? ternary_row(row, weights, codes[at], acts[at].scale)
                                                : float_row(row.values(), acts[at]);
        y[static_cast<size_t>(t * w.rows + r)] = v * w.factor;
      }
    }
  });
  return y;
}

std::vector<double> plain_product(Threads& threads, const Matrix& w, const std::vector<double>& x, int64_t tokens) {
  std::vector<double> y(static_cast<size_t>(tokens * w.rows));
  threads.each(w.rows, kRowsPerPiece, [&](int64_t begin, int64_t end) {
    RowReader row(w);
    for (int64_t r = begin; r < end; ++r) {
      row.read(r);
      const std::span<const double> weights = row.values();
      for (int64_t t = 0; t < tokens; ++t) {
        const double* act = x.data() + t * w.k;
        double sum = 0;
        for (size_t j = 0; j < weights.size(); ++j) sum += weights[j] * act[j];
        y[static_cast<size_t>(t * w.rows + r)] = sum * w.factor;
      }
    }
  });
  return y;
}

}  // namespace tritcheck::engine
