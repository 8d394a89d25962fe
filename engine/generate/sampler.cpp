#include "engine/generate/sampler.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace tritcheck::engine {
namespace {

struct Scored {
  double logit;
  int32_t id;
};

bool more_likely(const Scored& a, const Scored& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

void check(std::span<const double> logits) {
  bool finite = false;
  for (size_t i = 0; i < logits.size(); ++i) {
    finite = finite || std::isfinite(logits[i]);
    const char* bad = std::isnan(logits[i]) ? "NaN" : logits[i] == INFINITY ? "infinite" : nullptr;
    if (bad != nullptr) throw SampleError("the logit of token " + std::to_string(i) + " is " + bad);
  }
  if (!finite) throw SampleError("no token has a finite logit");
}

// The `top_k` most likely (0: all), the most likely first.
std::vector<Scored> ordered(std::span<const double> logits, int64_t top_k) {
  std::vector<Scored> out(logits.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = {logits[i], static_cast<int32_t>(i)};
  const bool all = top_k == 0 || static_cast<uint64_t>(top_k) >= out.size();
  const auto kept = all ? out.end() : out.begin() + top_k;
  std::partial_sort(out.begin(), kept, out.end(), more_likely);
  out.erase(kept, out.end());
  return out;
}

// Makes the probabilities a distribution again.
void normalise(std::vector<Candidate>& candidates) {
  double sum = 0;
  for (const Candidate& c : candidates) sum += c.probability;
  for (Candidate& c : candidates) c.probability /= sum;
}

void keep_top_p(std::vector<Candidate>& candidates, double top_p) {
  if (top_p >= 1) return;
  double sum = 0;
  size_t kept = 0;
  while (kept < candidates.size() && sum < top_p) sum += candidates[kept++].probability;
  candidates.resize(kept);
  normalise(candidates);
}

}  // namespace

Sampler::Sampler(const SamplerOptions& options) : options_(options), random_(options.seed) {
  if (!(options.temperature >= 0) || !std::isfinite(options.temperature))
    throw std::invalid_argument("the temperature must be a number from 0");
  if (options.top_k < 0) throw std::invalid_argument("top_k must be 0 or more");
  if (!(options.top_p > 0 && options.top_p <= 1)) throw std::invalid_argument("top_p must be above 0 and up to 1");
}

std::vector<Candidate> Sampler::candidates(std::span<const double> logits) const {
  check(logits);
  const bool greedy = options_.temperature == 0;
  const std::vector<Scored> scored = ordered(logits, greedy ? 1 : options_.top_k);
  std::vector<Candidate> out;
  for (const Scored& s : scored) {
    const double p = greedy ? 1 : portable_exp((s.logit - scored.front().logit) / options_.temperature);
    if (p > 0) out.push_back({s.id, p});
  }
  normalise(out);
  keep_top_p(out, options_.top_p);
  return out;
}

int32_t Sampler::sample(std::span<const double> logits) {
  const std::vector<Candidate> from = candidates(logits);
  if (options_.temperature == 0) return from.front().id;
  double sum = 0;
  for (const Candidate& c : from) sum += c.probability;
  // rounding: the probabilities make almost 1
  double left = random_.unit() * sum;
  for (const Candidate& c : from) {
    if (left < c.probability) return c.id;
    left -= c.probability;
  }
  return from.front().id;
}

// 2^k e^r with |r| <= ln 2 / 2, e^r by its series: the first term left out is below 2^-57.
double portable_exp(double x) {
  if (!(x > -745)) return 0;
  constexpr double kLog2E = 1.4426950408889634;
  constexpr double kLn2High = 0x1.62E42FEE00000p-1;  // its product with k is exact
  constexpr double kLn2Low = 0x1.A39EF35793C76p-33;
  const double k = std::floor(x * kLog2E + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double sum = 1;
  for (int n = 13; n >= 1; --n) sum = 1 + sum * r / n;
  return std::ldexp(sum, static_cast<int>(k));
}

}  // namespace tritcheck::engine
