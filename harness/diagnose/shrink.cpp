#include <algorithm>
#include <stdexcept>

#include "harness/diagnose/diagnose.h"

namespace tritcheck {
namespace {

class Shrinker {
 public:
  Shrinker(const Suspect& suspect, const Failed& start, const Prepare& prepare)
      : suspect_(suspect), best_(start), prepare_(prepare) {
    // each try of a hanging case costs its whole time limit
    tries_ = start.judgement.verdict == Verdict::timeout ? 3 : 400;
  }

  Failed result() && { return std::move(best_); }

  // Keeps the case if it still fails the same way.
  bool attempt(const Case& c) {
    if (tries_ == 0 || c == best_.spec()) return false;
    --tries_;
    try {
      std::shared_ptr<const Prepared> p = prepare_(c);
      CallRequest request = suspect_.request(p->problem);
      if (best_.judgement.verdict == Verdict::timeout) request.cpu_limit_ms = std::min(500, suspect_.timeout_ms);
      CallResult result = std::move(suspect_.executor.run({&request, 1}).at(0));
      Judgement j = judge(p->problem, p->expected, result);
      if (j.verdict != best_.judgement.verdict) return false;
      best_ = {best_.family, std::move(p), std::move(result), std::move(j)};
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    }
  }

  void k() {
    const int64_t step = suspect_.contract().k_multiple;
    const int64_t start = best_.spec().k;
    // upwards from the smallest; for long rows in growing steps first, then exactly below the hit
    const int64_t stride = std::max<int64_t>(step, start / 64 / step * step);
    for (int64_t k = step; k < start; k += stride) {
      if (!attempt(with_k(k))) continue;
      for (int64_t fine = std::max(step, k - stride + step); fine < k; fine += step) {
        if (attempt(with_k(fine))) break;
      }
      return;
    }
  }

  void n() {
    const auto step = static_cast<int32_t>(suspect_.contract().row_multiple);
    for (int32_t n = step; n < best_.spec().n; n += step) {
      Case c = best_.spec();
      c.n = n;
      if (c.op == Op::gemv && c.params.contains("m")) c.params["m"] += n - best_.spec().n;
      // what lies between rows or results goes with them
      if (n == 1) {
        for (const char* key : {"wpad", "qpad", "ostride"}) c.params.erase(key);
      }
      if (attempt(c)) return;
    }
  }

  void without(const char* key) {
    Case c = best_.spec();
    if (c.params.erase(key) > 0) attempt(c);
  }

 private:
  Case with_k(int64_t k) const {
    Case c = best_.spec();
    c.k = k;
    if (const auto pos = c.params.find("pos"); pos != c.params.end()) pos->second %= k;
    return c;
  }

  const Suspect& suspect_;
  Failed best_;
  const Prepare& prepare_;
  int tries_ = 0;
};

}  // namespace

Failed shrink(const Suspect& suspect, const Failed& failure, const Prepare& prepare) {
  Shrinker s(suspect, failure, prepare);
  for (const char* key : {"woff", "qoff", "ooff", "wpad", "qpad", "ostride", "period"}) s.without(key);
  // a row of a file has the length it has
  if (failure.spec().model.empty()) s.k();
  s.n();
  return std::move(s).result();
}

}  // namespace tritcheck
