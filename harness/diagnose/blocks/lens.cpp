#include "harness/diagnose/blocks/lens.h"

#include <numeric>

#include "harness/cases/data.h"
#include "reference/half.h"

namespace tritcheck::block_steps {
namespace {

// Up to this length every column is asked, by a call of its own.
constexpr int64_t kLongest = 4096;

}  // namespace

Lens::Lens(const Suspect& suspect, int64_t k)
    : suspect_(suspect), type_(*weights_named(suspect.info.format)), k_(k), elements_(ggml::format(type_).elements) {
  act_elements_ = suspect.info.contract.op == Op::vec_dot ? ggml::format(ggml::acts_of(type_)).elements : 0;
}

LensRow Lens::neutral() const {
  LensRow row;
  const ggml::Traits& t = ggml::traits(type_);
  for (size_t b = 0; b < static_cast<size_t>(k_) / elements_; ++b) {
    ggml::Fields f;
    f.d = half_power(0);
    f.c = t.c_is_added ? uint16_t{0} : half_power(0);
    f.codes.assign(elements_, 0);
    f.scales.assign(t.scales, t.scale != nullptr ? t.scale->one : uint8_t{1});
    f.minima.assign(t.minima, 0);
    row.blocks.push_back(std::move(f));
  }
  if (act_elements_ > 0) row.act_scales.assign(static_cast<size_t>(k_) / act_elements_, 1.0F);
  return row;
}

Problem Lens::problem(const LensRow& row) const {
  Problem p;
  p.op = suspect_.info.contract.op;
  p.format = suspect_.info.format;
  p.acts = suspect_.info.acts;
  p.k = k_;
  for (const ggml::Fields& f : row.blocks) append(type_, f, p.x);
  return p;
}

std::vector<double> Lens::right(const LensRow& row) const {
  std::vector<double> out;
  const Problem p = problem(row);
  const size_t bytes = ggml::format(type_).bytes;
  for (size_t b = 0; b < row.blocks.size(); ++b) {
    const ggml::Block block = ggml::decode(type_, std::span(p.x).subspan(b * bytes, bytes));
    for (size_t e = 0; e < elements_; ++e) {
      const size_t at = b * elements_ + e;
      out.push_back(block.value(e) * (act_elements_ == 0 ? 1.0 : double{row.act_scales[at / act_elements_]}));
    }
  }
  return out;
}

std::vector<uint8_t> Lens::acts(const LensRow& row, const std::vector<int8_t>& q) const {
  std::vector<uint8_t> y;
  for (size_t a = 0; a < row.act_scales.size(); ++a) {
    const auto from = q.begin() + static_cast<ptrdiff_t>(a * act_elements_);
    append(ggml::acts_of(type_), {row.act_scales[a], {from, from + static_cast<ptrdiff_t>(act_elements_)}}, y);
  }
  return y;
}

bool Lens::asks(size_t column) const {
  constexpr size_t kAtTheEnds = 512;
  constexpr size_t kSample = 61;
  const auto k = static_cast<size_t>(k_);
  return k_ <= kLongest || act_elements_ == 0 || column < kAtTheEnds || column + kAtTheEnds >= k ||
         column % kSample == 0;
}

std::optional<std::vector<double>> Lens::seen(const LensRow& row) const {
  Problem p = problem(row);
  if (p.op == Op::to_float) {
    const CallRequest request = make_request(p, suspect_.kernel, false);
    const CallResult result = suspect_.executor.run({&request, 1}).at(0);
    if (result.status != CallStatus::returned) return std::nullopt;
    return answers(p, result.out_a);
  }
  std::vector<double> out = right(row);
  std::vector<int8_t> q(out.size());
  std::vector<size_t> asked;
  const auto ask = [&] {
    std::vector<CallRequest> requests;
    for (const size_t e : asked) {
      q[e] = 1;
      p.y = acts(row, q);
      q[e] = 0;
      requests.push_back(make_request(p, suspect_.kernel, false));
      requests.back().cpu_limit_ms = suspect_.timeout_ms;
    }
    size_t next = 0;
    for (const CallResult& r : suspect_.executor.run(requests)) {
      if (r.status != CallStatus::returned) return false;
      out[asked[next++]] = answers(p, r.out_a).at(0);
    }
    asked.clear();
    return true;
  };
  constexpr size_t kBatch = 512;
  for (size_t e = 0; e < out.size(); ++e) {
    if (asks(e)) asked.push_back(e);
    if (asked.size() == kBatch && !ask()) return std::nullopt;
  }
  if (!asked.empty() && !ask()) return std::nullopt;
  return out;
}

std::optional<bool> Lens::right_when_dense(const LensRow& row) const {
  if (act_elements_ == 0) return std::nullopt;
  Problem p = problem(row);
  p.y = acts(row, std::vector<int8_t>(static_cast<size_t>(k_), 1));
  CallRequest request = make_request(p, suspect_.kernel, false);
  request.cpu_limit_ms = suspect_.timeout_ms;
  const CallResult result = suspect_.executor.run({&request, 1}).at(0);
  if (result.status != CallStatus::returned) return std::nullopt;
  const std::vector<double> each = right(row);
  return answers(p, result.out_a).at(0) == std::accumulate(each.begin(), each.end(), 0.0);
}

}  // namespace tritcheck::block_steps
