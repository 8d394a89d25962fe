#include "harness/diagnose/blocks/relations.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "harness/cases/data.h"
#include "harness/cases/grids.h"

namespace tritcheck {
namespace {

constexpr size_t kBlock = 256;

std::vector<float> floats(const CallResult& r) {
  std::vector<float> out;
  for (const uint32_t w : r.out_a) out.push_back(std::bit_cast<float>(w));
  return out;
}

// The largest power of two that divides it, for |v| > 0.
double unit_of(double v) {
  int exponent = 0;
  const double fraction = std::frexp(v, &exponent);  // 53 bits
  const auto bits = static_cast<uint64_t>(std::ldexp(std::fabs(fraction), 53));
  return std::ldexp(1, exponent - 53 + std::countr_zero(bits));
}

// One product as its terms, a column each.
struct Sum {
  double value = 0;
  double magnitude = 0;
  double unit = HUGE_VAL;
  int64_t terms = 0;

  void add(double term) {
    if (term == 0) return;
    value += term;
    if (!std::isfinite(term)) return;  // a column without an answer: nothing is expected of the sum
    magnitude += std::fabs(term);
    unit = std::min(unit, unit_of(term));
    ++terms;
  }

  // Every intermediate value that a function can form of these terms is a multiple of `unit` below twice their
  // magnitude (a weight may itself be added up of two parts, as iq1_s's are): if that fits the 24 bits of a float,
  // nothing is ever rounded. Else each term may be rounded as a product, and once more when it is added, by 2^-24 of
  // what has been added up, which is below twice the magnitude.
  double bound() const {
    if (terms == 0 || 2 * magnitude <= 0x1p24 * unit) return 0;
    return 0x1p-24 * 2 * static_cast<double>(terms) * 2 * magnitude;
  }
};

// Without a finite answer to the simpler question anything finite is right.
void answer(double value, double bound, Expectation& out) {
  const bool known = std::isfinite(value);
  out.values.push_back(known ? value : 0);
  out.bounds.push_back(known ? bound : std::numeric_limits<double>::max());
}

// Whether the activations of a case depend on the weights they meet.
bool follows_signs(const Case& c) {
  return c.probe == "linear" && static_cast<GridKind>(c.param("kind")) == GridKind::extreme;
}

}  // namespace

Relations::Values Relations::ask(const std::vector<uint8_t>& block, bool by_reader) const {
  Problem p;
  p.format = suspect_.info.format;
  p.k = kBlock;
  p.x = block;
  p.op = by_reader ? Op::to_float : suspect_.info.contract.op;
  const uint32_t kernel = by_reader ? *suspect_.reader : suspect_.kernel;
  std::vector<CallRequest> requests;
  if (p.op == Op::to_float) {
    requests.push_back(make_request(p, kernel, false));
  } else {
    Case c{p.format, Op::vec_dot, kBlock, 1, "decode", 0, {}};
    for (int64_t pos = 0; pos < static_cast<int64_t>(kBlock); ++pos) {
      c.params["pos"] = pos;
      p.y = GridRows(c).activations(0);
      requests.push_back(make_request(p, kernel, false));
    }
  }
  const Values none(kBlock, std::numeric_limits<double>::quiet_NaN());
  Values out;
  // one at a time until it is known that the function comes back: each that does not costs its whole time limit
  for (size_t at = 0, many = 1; at < requests.size(); at += many, many = requests.size() - at) {
    for (const CallResult& r : suspect_.executor.run(std::span(requests).subspan(at, many))) {
      if (r.status != CallStatus::returned) return none;
      for (const float v : floats(r)) out.push_back(std::isfinite(v) ? v : none[0]);
    }
  }
  return out;
}

const Relations::Values& Relations::columns(const std::vector<uint8_t>& block, bool by_reader) {
  const auto key = std::pair(block, by_reader);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  return known_.emplace(key, ask(block, by_reader)).first->second;
}

// Extreme activations have the signs of the weights they meet, so that every partial sum is the largest there is. These
// are the signs that the function itself told: data that are the same for every function that is right.
std::vector<int8_t> Relations::codes(const Case& c, int64_t row, size_t b) {
  const GridRows rows(c);
  std::vector<int8_t> q = rows.codes(row, b);
  if (!follows_signs(c)) return q;
  const Values& w = columns(rows.plain_block(row, b));
  for (size_t e = 0; e < kBlock; ++e) {
    if (w[e] < 0) q[e] = static_cast<int8_t>(-q[e]);
  }
  return q;
}

void Relations::expect_floats(const Case& c, Expectation& out) {
  const GridRows rows(c);
  for (size_t b = 0; b < static_cast<size_t>(c.k) / kBlock; ++b) {
    for (const double v : columns(rows.plain_block(0, b))) {
      out.words.push_back(out.words.size());
      answer(rows.weight_scale(0, b) * v, 0, out);  // scales are powers of two
    }
  }
}

void Relations::expect_column(const Case& c, Expectation& out) {
  const auto pos = static_cast<size_t>(c.param("pos"));
  out.words = {0};
  const Values& w = columns(GridRows(c).plain_block(0, 0), suspect_.reader.has_value());
  // no grid holds zeros: a block of nothing but zeros is an answer to no question
  const bool zeros = std::ranges::all_of(w, [](double v) { return v == 0; });
  answer(zeros ? 1 : w[pos], 0, out);
  out.unit = std::fabs(out.values[0]);
}

void Relations::expect_dots(const Case& c, const Problem& p, Expectation& out) {
  const GridRows rows(c);
  for (int32_t j = 0; j < c.n; ++j) {
    for (int32_t i = 0; i < c.n; ++i) {
      Sum sum;
      for (size_t b = 0; b < static_cast<size_t>(c.k) / kBlock; ++b) {
        const Values& w = columns(rows.plain_block(i, b));
        const std::vector<int8_t> q = codes(c, j, b);
        const double scale = double{rows.weight_scale(i, b)} * rows.act_scale(j, b);
        double part = 0;
        for (size_t e = 0; e < kBlock; ++e) {
          sum.add(scale * w[e] * q[e]);
          part += scale * w[e] * q[e];
        }
        if (part != 0 && (out.unit == 0 || std::fabs(part) < out.unit)) out.unit = std::fabs(part);
      }
      out.words.push_back(static_cast<size_t>(i + j * p.out_stride));
      answer(sum.value, sum.bound(), out);
    }
  }
}

std::shared_ptr<const Prepared> Relations::get(const Case& c) {
  auto made = std::make_shared<Prepared>();
  made->spec = c;
  made->problem = make_problem(c);
  if (c.op == Op::vec_dot && follows_signs(c)) {
    const GridRows rows(c);
    made->problem.y.clear();
    for (int32_t j = 0; j < c.n; ++j) {
      for (size_t b = 0; b < static_cast<size_t>(c.k) / kBlock; ++b)
        append(ggml::Acts::q8_k, {rows.act_scale(j, b), codes(c, j, b)}, made->problem.y);
    }
  }
  if (c.op == Op::to_float) {
    expect_floats(c, made->expected);
  } else if (c.probe == "decode") {
    expect_column(c, made->expected);
  } else {
    expect_dots(c, made->problem, made->expected);
  }
  return made;
}

}  // namespace tritcheck
