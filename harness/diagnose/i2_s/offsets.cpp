// Who subtracts the offset, what each code stands for, and where the scales come from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "harness/diagnose/i2_s/steps.h"
#include "reference/prng.h"

namespace tritcheck::i2_s_steps {
namespace {

// Small, uneven, summing to something far from zero.
void uneven(I2sProblem& p) {
  for (size_t i = 0; i < p.q.size(); ++i) p.q[i] = static_cast<int8_t>(1 + (i * 7 + i / 13) % 11);
}

bool whole(double v) {
  return v == std::floor(v);
}

}  // namespace

Found offsets_and_codes(const Asker& ask, const Base& base) {
  const bool gemv = ask.contract().op == Op::gemv;
  const auto at = static_cast<size_t>(base.output);
  std::vector<I2sProblem> problems;
  for (int code = 0; code <= ask.contract().max_code; ++code) {
    problems.push_back(ask.blank(base.k, base.n, code, 1));
    uneven(problems.back());
  }
  const int64_t first = ask.contract().op == Op::acts ? base.output * base.k : 0;
  const double sum = std::accumulate(problems[0].q.begin() + first, problems[0].q.begin() + first + base.k, 0.0);
  const std::vector<Answer> constant = ask.ask(problems);
  double table[4];  // the number each code counts as, before any offset
  for (size_t code = 0; code < 4; ++code) {
    // a code that the contract excludes is taken to go on like the others
    if (code >= constant.size()) {
      table[code] = 2 * table[code - 1] - table[code - 2];
      continue;
    }
    if (!constant[code].returned) return std::nullopt;
    table[code] = constant[code].values[at] / sum + (ask.contract().result == Result::raw ? 0 : 1);
  }
  Diagnosis d;
  const std::string measured =
      fmt::format("rows of one code alone count 0 -> {:g}, 1 -> {:g}, 2 -> {:g}, 3 -> {:g} times sum(q)", table[0],
                  table[1], table[2], table[3]);
  const auto shifted = [&](double by) {
    for (int code = 0; code < 4; ++code) {
      if (table[code] != code + by) return false;
    }
    return true;
  };
  if (gemv) {
    // the offset can be watched directly: the result must fall by one for each step of act_sum
    std::vector<I2sProblem> told = {problems[2], problems[2]};
    told[0].act_sum = 1000;
    told[1].act_sum = 3000;
    const std::vector<Answer> two = ask.ask(told);
    if (two[0].returned && two[1].returned) {
      const double times = (two[0].values[at] - two[1].values[at]) / 2000;
      // a kernel that sums q itself ignores what it is told; only a result that is off by the sum was not centred once
      const double off = constant[2].values[at] - right_values(problems[2])[at];
      if ((times == 0 && off == sum) || (times > 1 && whole(times) && off == (1 - times) * sum)) {
        d.name = times == 0 ? "offset-never" : "offset-twice";
        d.sentence = times == 0 ? "the kernel never subtracts sum(q); its contract says it does"
                                : fmt::format("the kernel subtracts sum(q) {:g} times", times);
        d.evidence = {
            fmt::format("act_sum 1000 and 3000 give {:.9g} and {:.9g}", two[0].values[at], two[1].values[at])};
        return d;
      }
    }
  }
  if (shifted(0)) return std::nullopt;
  if (shifted(-1) && !gemv) {
    d.name = "offset-twice";
    d.sentence = ask.contract().result == Result::raw ? "the kernel returns the centred sum; its contract is the raw "
                                                        "sum, so its caller subtracts sum(q) a second "
                                                        "time"
                                                      : "the kernel subtracts sum(q) twice";
    d.evidence = {measured};
    return d;
  }
  if (shifted(1)) {
    d.name = "offset-never";
    d.sentence = ask.contract().result == Result::centred
                     ? "the kernel returns the raw sum; its contract is the centred one, so nobody subtracts sum(q)"
                     : "the result is too large by sum(q): the offset was not subtracted";
    d.evidence = {measured};
    return d;
  }
  const bool integers =
      std::all_of(std::begin(table), std::end(table), [](double t) { return whole(t) && std::fabs(t) <= 8; });
  const bool one_value = table[0] == table[1] && table[1] == table[2];
  const bool proportional = table[0] == 0 && table[2] == 2 * table[1] && table[3] == 3 * table[1];
  if (!integers || one_value || proportional) return std::nullopt;
  d.name = "code-map";
  d.sentence = fmt::format("codes 0, 1, 2, 3 count as {:g}, {:g}, {:g}, {:g}; the format says 0, 1, 2, 3", table[0],
                           table[1], table[2], table[3]);
  d.evidence = {measured};
  return d;
}

Found scales(const Asker& ask, const Base& base) {
  if (ask.contract().op != Op::gemv) return std::nullopt;
  const auto at = static_cast<size_t>(base.output);
  // a tensor longer than what is asked for, codes 0..2 only: then no four code bytes are a NaN
  I2sProblem p = ask.blank(base.k, base.n, 1, 1);
  p.row0 = 2 * ask.contract().row_multiple;
  p.m = p.row0 + p.n + 3 * ask.contract().row_multiple;
  p.codes.assign(static_cast<size_t>(p.m * p.k), 0);
  Prng rng(0xCA1E);
  for (auto& c : p.codes) c = static_cast<uint8_t>(rng.below(3));
  for (auto& q : p.q) q = static_cast<int8_t>(rng.between(1, 20));
  const auto result = [&](float w, float a) {
    p.w_scale = w;
    p.act_scale = a;
    const Answer answer = ask.ask(p);
    return answer.returned ? answer.values[at] : std::nan("");
  };
  const double plain = result(1, 1);
  const double by_w = result(4, 1) / plain;
  const double by_a = result(1, 8) / plain;
  Diagnosis d;
  d.evidence = {
      fmt::format("w_scale 4 instead of 1 multiplies the result by {:g} (right: 4); act_scale 8 instead of 1 by {:g} "
                  "(right: 0.125)",
                  by_w, by_a)};
  p.w_scale = p.act_scale = 1;
  const bool plain_right = plain == right_values(p)[at];
  if (by_w == 4 && by_a == 0.125) return std::nullopt;
  if (by_w == 1 && !plain_right) {
    // the scale is read from somewhere else: which four bytes reproduce the result?
    p.w_scale = 1;
    const CallRequest r = ask.request(p);
    const double c = right_values(p)[at];
    for (size_t offset = 0; offset + 4 <= r.weights.size(); ++offset) {
      float scale = 0;
      std::memcpy(&scale, r.weights.data() + offset, sizeof scale);
      if (static_cast<double>(static_cast<float>(c) * scale) != plain || !std::isfinite(scale) || scale == 0) continue;
      d.name = "scale-location";
      d.sentence = fmt::format("the weight scale is read at byte {} of the tensor; it is at byte m * k / 4 = {}",
                               offset, p.m * p.k / 4);
      const int64_t next = (p.row0 + base.output + 1) * p.k / 4;
      if (static_cast<int64_t>(offset) == next) d.evidence.push_back("those are the first codes of the next row");
      d.evidence.push_back(fmt::format("result {:.9g} is {:.9g} times {:.9g}", plain, c, scale));
      return d;
    }
    return std::nullopt;
  }
  if (!plain_right) return std::nullopt;
  if (by_w == 1 || by_a == 1) {
    d.name = "scale-missing";
    d.sentence = by_w == 1 && by_a == 1 ? "no scale is applied"
                 : by_w == 1            ? "the weight scale is not applied"
                                        : "the activation scale is not applied";
    return d;
  }
  if (by_w == 0.25 || by_a == 8) {
    d.name = "scale-inverted";
    d.sentence = by_w == 0.25 ? "the result is divided by the weight scale; it must be multiplied"
                              : "the result is multiplied by the activation scale; it must be divided";
    return d;
  }
  return std::nullopt;
}

}  // namespace tritcheck::i2_s_steps
