#include <algorithm>
#include <stdexcept>

#include "harness/foreign/diagnose.h"

namespace tritcheck::foreign {
namespace {

class Shrinker {
 public:
  Shrinker(const Suspect& suspect, const Failed& start, const Prepare& prepared)
      : suspect_(suspect), best_(start), prepared_(prepared) {
    // each try of a hanging case costs its whole time limit
    tries_ = start.judgement.verdict == Verdict::timeout ? 3 : 200;
  }

  Failed result() && { return std::move(best_); }

  bool attempt(const Case& c) {
    if (tries_ == 0 || c == best_.prepared->spec) return false;
    --tries_;
    try {
      const std::shared_ptr<const Prepared> p = prepared_(c);
      CallRequest request = make_request(p->problem, suspect_.kernel, suspect_.guarded);
      request.cpu_limit_ms =
          best_.judgement.verdict == Verdict::timeout ? std::min(500, suspect_.timeout_ms) : suspect_.timeout_ms;
      CallResult result = std::move(suspect_.executor.run({&request, 1}).at(0));
      Judgement j = judge(p->problem, p->expected, result);
      if (j.verdict != best_.judgement.verdict) return false;
      best_ = {best_.family, p, std::move(result), std::move(j)};
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    }
  }

  void k() {
    const int64_t step = suspect_.function.contract.k_multiple;
    const int64_t start = best_.prepared->spec.k;
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

  void one_row() {
    Case c = best_.prepared->spec;
    c.n = 1;
    for (const char* key : {"xpad", "ypad", "ostride"}) c.params.erase(key);
    attempt(c);
  }

  void without(const char* key) {
    Case c = best_.prepared->spec;
    if (c.params.erase(key) > 0) attempt(c);
  }

 private:
  Case with_k(int64_t k) const {
    Case c = best_.prepared->spec;
    c.k = k;
    if (c.params.contains("pos")) c.params["pos"] %= k;
    return c;
  }

  const Suspect& suspect_;
  Failed best_;
  const Prepare& prepared_;
  int tries_ = 0;
};

}  // namespace

Failed shrink(const Suspect& suspect, const Failed& failure, const Prepare& prepared) {
  Shrinker s(suspect, failure, prepared);
  s.one_row();
  for (const char* key : {"xoff", "yoff", "ooff", "xpad", "ypad", "ostride"}) s.without(key);
  s.k();
  return std::move(s).result();
}

}  // namespace tritcheck::foreign
