// The linear structure: which weight meets which activation, how often, and at which output. Measured with small dense
// values, so that no accumulator, clamp or shortcut gets in the way.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/diagnose/i2_s/steps.h"

namespace tritcheck::i2_s_steps {
namespace {

constexpr int64_t kFinest = 1024;     // longest row whose columns are measured one by one
constexpr int64_t kMostGroups = 256;  // longer rows are measured in groups, of which there are so many at the most,
constexpr int64_t kFewGroups = 64;    // and rows beyond kShortRow in so many
constexpr int64_t kBase = 61;         // labels are digits in this base, plus one: never zero, at most 61

int8_t label(int64_t index, int digit) {
  return static_cast<int8_t>(1 + (digit == 0 ? index % kBase : index / kBase % kBase));
}

class Measurement {
 public:
  Measurement(const Asker& ask, const Base& base) : ask_(ask), base_(base) {
    group_ = base.k <= kFinest ? 1 : std::max<int64_t>(32, ask.contract().k_multiple);
    while (group_ > 1 && base.k / group_ > (base.k > kShortRow ? kFewGroups : kMostGroups)) group_ *= 2;
    while (base.k % group_ != 0) group_ /= 2;
    batch_ = base.k <= kShortRow ? kBatch : 1;
    many_rows_ = ask.contract().op == Op::rows || ask.contract().op == Op::gemv;
  }

  // Nothing if the kernel died while being asked.
  std::optional<Pairing> run() {
    Pairing out;
    out.group = group_;
    for (int digit : {-1, 0, 1}) {
      Answer still = ask_.ask(problem(-1, digit));
      if (!still.returned) return std::nullopt;
      baseline_[digit + 1] = still.values;
    }
    const int64_t groups = base_.k / group_;
    for (int64_t first = 0; first < groups; first += batch_) {
      std::vector<I2sProblem> batch;
      const int64_t last = std::min(groups, first + batch_);
      for (int64_t g = first; g < last; ++g) {
        for (int digit : {-1, 0, 1}) batch.push_back(problem(g, digit));
      }
      const std::vector<Answer> answers = ask_.ask(batch);
      for (int64_t g = first; g < last; ++g) {
        const Answer* three = &answers[static_cast<size_t>(3 * (g - first))];
        if (!three[0].returned || !three[1].returned || !three[2].returned) return std::nullopt;
        out.entries.push_back(entry(three));
      }
    }
    return out;
  }

 private:
  static constexpr int64_t kBatch = 32;

  // All weights 0 but the group's, which are +1; activations all 1 (digit -1) or labelled.
  I2sProblem problem(int64_t hot, int digit) const {
    I2sProblem p = ask_.blank(base_.k, base_.n, 1, 1);
    if (digit >= 0) {
      for (int64_t row = 0; row < p.act_rows(); ++row) {
        for (int64_t j = 0; j < p.k; ++j) p.q[static_cast<size_t>(row * p.k + j)] = label(j / group_, digit);
      }
    }
    const int64_t row = many_rows_ ? base_.output : 0;
    for (int64_t j = 0; hot >= 0 && j < group_; ++j) p.codes[static_cast<size_t>(row * p.k + hot * group_ + j)] = 2;
    return p;
  }

  Pairing::Entry entry(const Answer* three) const {
    Pairing::Entry e;
    for (int32_t i = 0; i < base_.n; ++i) {
      if (!many_rows_ && i != base_.output) continue;
      const auto at = static_cast<size_t>(i);
      double delta[3];
      for (int d = 0; d < 3; ++d) delta[d] = (three[d].values[at] - baseline_[d][at]) / static_cast<double>(group_);
      if (delta[0] == 0 && delta[1] == 0 && delta[2] == 0) continue;
      if (e.output != -1) {
        e.output = -2;
        continue;
      }
      e.output = i;
      if (!(std::fabs(delta[0]) < 1e6)) continue;  // a NaN too: no count
      e.count = static_cast<int64_t>(delta[0]);
      const double scale = delta[0] == 0 ? 1 : delta[0];
      const double low = delta[1] / scale - 1;
      const double high = delta[2] / scale - 1;
      const bool digits = low >= 0 && low < kBase && high >= 0 && high < kBase &&
                          low == static_cast<double>(static_cast<int64_t>(low)) &&
                          high == static_cast<double>(static_cast<int64_t>(high));
      if (digits && static_cast<double>(e.count) == delta[0])
        e.partner = static_cast<int64_t>(high) * kBase + static_cast<int64_t>(low);
    }
    return e;
  }

  const Asker& ask_;
  const Base& base_;
  int64_t group_;
  int64_t batch_ = kBatch;
  bool many_rows_;
  std::vector<double> baseline_[3];
};

std::vector<int64_t> columns(const std::vector<int64_t>& groups, int64_t group) {
  std::vector<int64_t> out;
  for (int64_t g : groups) {
    for (int64_t j = 0; j < group; ++j) out.push_back(g * group + j);
  }
  return out;
}

Found layout_diagnosis(const Contract& c, const Base& base, const Pairing& pairing, size_t moved) {
  const bool many_rows = c.op == Op::rows || c.op == Op::gemv;
  const Reading want = reading_of(c.layout);
  Diagnosis d;
  const size_t k = pairing.entries.size();
  const std::optional<Reading> got = find_reading(c, base.k, base.n, base.output, pairing);
  if (!got) {
    d.name = "layout-permuted";
    d.sentence = fmt::format("the kernel pairs weights with the wrong activations, in no known order; the data are {}",
                             describe(want));
    std::string sample;
    for (size_t j = 0, shown = 0; j < k && shown < 6; ++j) {
      if (pairing.entries[j].output != base.output && many_rows) return std::nullopt;
      if (pairing.entries[j].partner == static_cast<int64_t>(j)) continue;
      sample += fmt::format("{}{} with {}", shown++ > 0 ? ", " : "", j, pairing.entries[j].partner);
    }
    d.evidence = {
        fmt::format("{} of {} {} meet another activation than their own", moved, k,
                    pairing.group == 1 ? std::string("weights") : fmt::format("groups of {} weights", pairing.group)),
        fmt::format("{} with activation: ", pairing.group == 1 ? "weight" : "group") + sample};
    return d;
  }
  const bool same_group = got->group == want.group;
  d.name = got->group == 0 && want.group != 0 ? "layout-rows"
           : same_group                       ? "layout-bit-order"
           : got->group == 1                  ? "layout-linear"
                                              : "layout-block-size";
  d.sentence = fmt::format("the kernel reads {} where the data are {}", describe(*got), describe(want));
  d.evidence = {fmt::format("{} of {} one-hot probes agree with that reading", k, k),
                fmt::format("{} of {} weights meet the wrong activation", moved, k)};
  return d;
}

}  // namespace

Found structure(const Asker& ask, const Base& base, bool& plain) {
  plain = false;
  const std::optional<Pairing> measured = Measurement(ask, base).run();
  if (!measured) return std::nullopt;
  const Pairing& pairing = *measured;
  const bool many_rows = ask.contract().op == Op::rows || ask.contract().op == Op::gemv;
  const auto groups = static_cast<int64_t>(pairing.entries.size());
  std::vector<int64_t> dropped;
  std::vector<int64_t> repeated;
  size_t moved = 0;
  bool odd = false;
  int64_t counted = 0;
  for (int64_t g = 0; g < groups; ++g) {
    const Pairing::Entry& e = pairing.entries[static_cast<size_t>(g)];
    counted += e.count;
    if (e.output == -1) {
      dropped.push_back(g);
    } else if (e.count > 1) {
      repeated.push_back(g);
    } else if (e.count != 1 || e.partner < 0) {
      odd = true;
    } else if (e.partner != g || (many_rows && e.output != base.output)) {
      ++moved;
    }
  }
  // something lost and something moved is no single cause that we know
  if (odd || (moved > 0 && !(dropped.empty() && repeated.empty()))) return std::nullopt;
  if (dropped.empty() && repeated.empty()) {
    plain = moved == 0;
    if (moved == 0) return std::nullopt;
    return layout_diagnosis(ask.contract(), base, pairing, moved);
  }
  const std::string lost = ranges(columns(dropped, pairing.group));
  const std::string twice = ranges(columns(repeated, pairing.group));
  const bool suffix = !dropped.empty() && dropped.back() == groups - 1 &&
                      dropped.back() - dropped.front() + 1 == static_cast<int64_t>(dropped.size());
  Diagnosis d;
  if (!repeated.empty() && suffix && repeated.front() == 0 && counted == groups && moved == 0) {
    const int64_t wrap = dropped.front() * pairing.group;
    d.name = "index-wrap";
    d.sentence = fmt::format("beyond column {} the kernel starts again at column 0: an index is too narrow", wrap);
    d.evidence = {fmt::format("K = {}: columns {} never count, columns {} count again", base.k, lost, twice)};
  } else if (!repeated.empty()) {
    d.name = "unit-repeated";
    d.sentence =
        fmt::format("columns {} count more than once{}", twice, dropped.empty() ? "" : ", in place of columns " + lost);
    d.evidence = {fmt::format("K = {}: one-hot weights in columns {} count {} times", base.k, twice,
                              pairing.entries[static_cast<size_t>(repeated[0])].count)};
  } else {
    d.name = suffix ? "tail-dropped" : "unit-dropped";
    d.sentence = suffix ? fmt::format("the last {} of K = {} weights never count",
                                      static_cast<int64_t>(dropped.size()) * pairing.group, base.k)
                        : fmt::format("columns {} of K = {} never count", lost, base.k);
    d.evidence = {fmt::format("one-hot weights in columns {} leave the output unchanged", lost)};
  }
  return d;
}

}  // namespace tritcheck::i2_s_steps
