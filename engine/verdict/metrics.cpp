#include "engine/verdict/metrics.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace tritcheck::engine {
namespace {

// log sum exp
double log_sum(std::span<const double> x) {
  const double largest = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (double v : x) sum += std::exp(v - largest);
  return largest + std::log(sum);
}

// H = log Z - sum p x
double entropy(std::span<const double> x, double log_z) {
  double mean = 0;
  for (double v : x) mean += std::exp(v - log_z) * v;
  return log_z - mean;
}

double share(double part, int64_t of, double if_none) {
  return of == 0 ? if_none : part / static_cast<double>(of);
}

}  // namespace

void LogitMetrics::add(std::span<const double> golden, std::span<const double> candidate) {
  ++positions_;
  const int32_t token = argmax(golden);
  const auto best = static_cast<size_t>(token);
  double second = -INFINITY;
  for (size_t i = 0; i < golden.size(); ++i) {
    if (i != best) second = std::max(second, golden[i]);
  }
  const bool sure = golden[best] - second >= kSureMargin;
  sure_ += sure;
  if (!std::all_of(candidate.begin(), candidate.end(), [](double v) { return std::isfinite(v); })) {
    ++broken_;
    return;
  }
  const bool same = argmax(candidate) == token;
  same_ += same;
  sure_same_ += sure && same;
  flips_ += !sure && !same;

  const double zg = log_sum(golden);
  const double zc = log_sum(candidate);
  double kld = 0;
  for (size_t i = 0; i < golden.size(); ++i) {
    const double log_p = golden[i] - zg;
    kld += std::exp(log_p) * (log_p - (candidate[i] - zc));
    error_ += (golden[i] - candidate[i]) * (golden[i] - candidate[i]);
    energy_ += golden[i] * golden[i];
  }
  kld = std::max(kld, 0.0);  // rounding may leave a negative last bit
  kld_sum_ += kld;
  kld_max_ = std::max(kld_max_, kld);
  const double h = entropy(golden, zg);
  entropy_sum_ += h;
  shift_sum_ += std::fabs(entropy(candidate, zc) - h);
}

void LogitMetrics::add(const LogitMetrics& o) {
  positions_ += o.positions_;
  sure_ += o.sure_;
  sure_same_ += o.sure_same_;
  same_ += o.same_;
  flips_ += o.flips_;
  broken_ += o.broken_;
  kld_sum_ += o.kld_sum_;
  kld_max_ = std::max(kld_max_, o.kld_max_);
  error_ += o.error_;
  energy_ += o.energy_;
  entropy_sum_ += o.entropy_sum_;
  shift_sum_ += o.shift_sum_;
}

double LogitMetrics::agreement() const {
  return share(static_cast<double>(sure_same_), sure_, 1);
}
double LogitMetrics::top1() const {
  return share(static_cast<double>(same_), positions_, 1);
}
double LogitMetrics::kld() const {
  return share(kld_sum_, finite(), 0);
}
double LogitMetrics::nmse() const {
  return energy_ == 0 ? 0 : error_ / energy_;
}
double LogitMetrics::entropy_shift() const {
  return share(shift_sum_, finite(), 0);
}
double LogitMetrics::entropy_golden() const {
  return share(entropy_sum_, finite(), 0);
}

int32_t argmax(std::span<const double> logits) {
  return static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

double nll(std::span<const double> logits, int32_t token) {
  return log_sum(logits) - logits[static_cast<size_t>(token)];
}

double nll(Engine& engine, std::span<const int32_t> ids, int64_t first) {
  double sum = 0;
  engine.rewind(0);
  engine.forward(
      ids.first(ids.size() - 1),
      [&](int64_t i, std::span<const double> l) { sum += nll(l, ids[static_cast<size_t>(i) + 1]); }, first - 1);
  return sum;
}

double rep_n(std::span<const int32_t> ids, size_t n) {
  if (ids.size() < n || n == 0) return 0;
  const size_t grams = ids.size() - n + 1;
  std::set<std::vector<int32_t>> distinct;
  for (size_t i = 0; i < grams; ++i)
    distinct.emplace(ids.begin() + static_cast<std::ptrdiff_t>(i), ids.begin() + static_cast<std::ptrdiff_t>(i + n));
  return 1 - static_cast<double>(distinct.size()) / static_cast<double>(grams);
}

double tail_period(std::span<const int32_t> ids) {
  // a tail of period p reaches back as far as ids[i] == ids[i + p]
  size_t longest = 0;
  for (size_t p = 1; 3 * p <= ids.size(); ++p) {
    size_t i = ids.size() - p;
    while (i > 0 && ids[i - 1] == ids[i - 1 + p]) --i;
    const size_t covered = ids.size() - i;
    if (covered >= 3 * p) longest = std::max(longest, covered);
  }
  return ids.empty() ? 0 : static_cast<double>(longest) / static_cast<double>(ids.size());
}

double compression(std::string_view text) {
  if (text.size() < kLeastCompressed) return 0;
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::vector<Bytef> out(size);
  if (compress2(out.data(), &size, reinterpret_cast<const Bytef*>(text.data()), static_cast<uLong>(text.size()),
                Z_BEST_COMPRESSION) != Z_OK) {
    return 0;
  }
  return static_cast<double>(text.size()) / static_cast<double>(size);
}

}  // namespace tritcheck::engine
