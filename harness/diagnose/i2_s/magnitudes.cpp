// Causes that small values do not show: clamps, wraps, and the one int8 that has no negative.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/diagnose/i2_s/steps.h"

namespace tritcheck::i2_s_steps {
namespace {

constexpr double kWrap = 65536;

class Magnitudes {
 public:
  Magnitudes(const Asker& ask, const Base& base) : ask_(ask), base_(base), at_(static_cast<size_t>(base.output)) {}

  // got - expected at the base's output; NaN if the kernel died.
  double residual(const I2sProblem& p) const { return residuals(std::vector<I2sProblem>{p})[0]; }
  std::vector<double> residuals(const std::vector<I2sProblem>& problems) const {
    const std::vector<Answer> answers = ask_.ask(problems);
    std::vector<double> out;
    for (size_t i = 0; i < problems.size(); ++i) {
      out.push_back(answers[i].returned ? answers[i].values[at_] - right_values(problems[i])[at_] : std::nan(""));
    }
    return out;
  }

  void set(I2sProblem& p, int64_t column, int code, int q) const {
    for (int64_t row = 0; row < p.weight_rows(); ++row)
      p.codes[static_cast<size_t>(row * p.k + column)] = static_cast<uint8_t>(code);
    for (int64_t row = 0; row < p.act_rows(); ++row)
      p.q[static_cast<size_t>(row * p.k + column)] = static_cast<int8_t>(q);
  }
  I2sProblem blank(int64_t k) const { return ask_.blank(k, base_.n, 1, 1); }

  Found int8_min() const {
    if (ask_.contract().q_min > -128) return std::nullopt;
    for (int64_t column : {int64_t{0}, base_.k / 3, base_.k - 1}) {
      for (int code : {2, 0, 3}) {
        if (code > ask_.contract().max_code) continue;
        I2sProblem lowest = blank(base_.k);
        I2sProblem next = lowest;
        set(lowest, column, code, -128);
        set(next, column, code, -127);
        const double wrong = residual(lowest);
        I2sProblem after = lowest;
        I2sProblem largest = lowest;
        set(after, column, code, -126);
        set(largest, column, ask_.contract().max_code, 127);
        if (wrong == 0 || std::isnan(wrong) || residual(next) != 0 || residual(after) != 0 || residual(largest) != 0)
          continue;
        Diagnosis d;
        d.name = "int8-min";
        d.sentence = "an activation of -128 is not taken as -128";
        d.evidence = {
            fmt::format("q = -128 with code {} at column {}: the result is off by {:.0f}; with q = -127 it is right",
                        code, column, wrong)};
        return d;
      }
    }
    return std::nullopt;
  }

  Found byte_table() const {
    if (ask_.contract().max_code < 3 || base_.k > kShortRow) return std::nullopt;
    std::vector<I2sProblem> problems;
    for (int value = 0; value < 256; ++value) {
      I2sProblem p = blank(base_.k);
      std::vector<uint8_t> bytes(static_cast<size_t>(i2_s::code_bytes(p.shape())), static_cast<uint8_t>(value));
      i2_s::unpack(p.layout, p.shape(), bytes, p.codes);
      for (size_t j = 0; j < p.q.size(); ++j) p.q[j] = static_cast<int8_t>(1 + j * 5 % 9);
      problems.push_back(std::move(p));
    }
    const std::vector<double> off = residuals(problems);
    std::vector<int64_t> wrong;
    for (int64_t v = 0; v < 256; ++v) {
      if (std::isnan(off[static_cast<size_t>(v)])) return std::nullopt;
      if (off[static_cast<size_t>(v)] != 0) wrong.push_back(v);
    }
    if (wrong.empty() || wrong.size() > 64) return std::nullopt;
    Diagnosis d;
    d.name = "code-map";
    std::string list;
    for (size_t i = 0; i < wrong.size() && i < 6; ++i) list += fmt::format("{}0x{:02X}", i > 0 ? ", " : "", wrong[i]);
    d.sentence = fmt::format("packed byte {}{} is decoded wrongly; all other values are right", list,
                             wrong.size() > 6 ? ", ..." : "");
    d.evidence = {
        fmt::format("a row of bytes 0x{:02X} alone is off by {:.0f}", wrong[0], off[static_cast<size_t>(wrong[0])]),
        fmt::format("{} of 256 byte values are right", 256 - wrong.size())};
    return d;
  }

  // Two large products that are right one by one and wrong together, by an amount that no wrap explains.
  Found saturation() const {
    if (base_.k > kShortRow) return std::nullopt;
    const int lowest = ask_.contract().q_min;
    const int code = ask_.contract().max_code;
    const int kValues[][2] = {{127, 127}, {lowest, lowest}};
    for (int64_t step : {1, 2, 4, 8, 16, 32, 64}) {
      for (const auto& v : kValues) {
        std::vector<I2sProblem> pairs;
        std::vector<int64_t> first;
        for (int64_t column = 0; column + step < base_.k && column < 256; ++column) {
          if (column / step % 2 == 1) continue;
          I2sProblem p = blank(base_.k);
          set(p, column, code, v[0]);
          set(p, column + step, code, v[1]);
          pairs.push_back(std::move(p));
          first.push_back(column);
        }
        const std::vector<double> off = residuals(pairs);
        for (size_t i = 0; i < pairs.size(); ++i) {
          if (off[i] == 0 || std::isnan(off[i]) || std::fmod(off[i], kWrap) == 0) continue;
          I2sProblem one = blank(base_.k);
          I2sProblem other = one;
          set(one, first[i], code, v[0]);
          set(other, first[i] + step, code, v[1]);
          if (residual(one) != 0 || residual(other) != 0) continue;
          // a clamp is a plateau: a little less at one of the two changes nothing
          I2sProblem less = pairs[i];
          set(less, first[i], code, v[0] > 0 ? v[0] - 1 : v[0] + 1);
          if (ask_.ask(less).values[at_] != ask_.ask(pairs[i]).values[at_]) continue;
          Diagnosis d;
          d.name = "saturation";
          d.sentence =
              fmt::format("a sum of two products is clamped: columns {} and {} together", first[i], first[i] + step);
          d.evidence = {
              fmt::format("code {} and q = {} at both: the result is off by {:.0f}; with either alone it is right",
                          code, v[0], off[i]),
              fmt::format("{} of {} such pairs are clamped",
                          std::count_if(off.begin(), off.end(), [](double r) { return r != 0; }), off.size())};
          return d;
        }
      }
    }
    return std::nullopt;
  }

  // Constant data make every lane grow alike; the first K at which the result is off by a multiple of 2^16 tells the
  // width.
  Found wrap(std::span<const Failed> failures) const {
    const int64_t step = std::max<int64_t>(ask_.contract().k_multiple, 64);
    for (const auto& [code, q] : {std::pair{2, 127}, std::pair{3, 127}, std::pair{3, -128}, std::pair{2, -128}}) {
      if (code > ask_.contract().max_code || q < ask_.contract().q_min) continue;
      for (int64_t k = step; k <= std::min<int64_t>(16384, ask_.contract().k_max); k += step) {
        const I2sProblem p = ask_.blank(k, base_.n, code, q);
        const double off = residual(p);
        if (off == 0) continue;
        if (auto d = clamped(p, off)) return d;
        // so many lanes must each have been given more than 16 bits hold, and a lane more would not have been
        const double holds = (q < 0 ? 32768 : 32767) / (code * std::abs(q));
        const double lanes = std::fabs(off) / kWrap;
        if (std::isnan(off) || std::fmod(off, kWrap) != 0 || k == step || static_cast<double>(k) <= lanes * holds)
          break;
        return wrapped(k, code, q, off);
      }
    }
    return by_residuals(failures);
  }

 private:
  // Right with small values at the same K, and a little less in one column changes nothing: a plateau, so a clamp.
  Found clamped(const I2sProblem& p, double off) const {
    if (std::isnan(off) || std::fmod(off, kWrap) == 0 || residual(blank(p.k)) != 0) return std::nullopt;
    I2sProblem less = p;
    set(less, 0, p.codes[0], p.q[0] > 0 ? p.q[0] - 1 : p.q[0] + 1);
    if (ask_.ask(less).values[at_] != ask_.ask(p).values[at_]) return std::nullopt;
    Diagnosis d;
    d.name = "saturation";
    d.sentence = fmt::format("a sum over the row is clamped: first at K = {}", p.k);
    d.evidence = {fmt::format("code {} and q = {} throughout: the result is off by {:.0f}", p.codes[0], p.q[0], off),
                  "one column less by one changes nothing; the same row with small values is right"};
    return d;
  }

  Diagnosis wrapped(int64_t k, int code, int q, double off) const {
    const double lanes = std::fabs(off) / kWrap;
    const int64_t step = std::max<int64_t>(ask_.contract().k_multiple, 64);
    const int64_t holds = (q < 0 ? 32768 : 32767) / (code * std::abs(q));
    Diagnosis d;
    d.name = "int16-overflow";
    d.sentence = fmt::format("a 16-bit accumulator wraps: first at K = {}, right up to K = {}", k, k - step);
    d.evidence = {
        fmt::format("code {} and q = {} throughout: the result is off by {:.0f} = {} 2^16 x {:.0f}{}", code, q, off,
                    off < 0 ? "-" : "", lanes, lanes > 1 ? fmt::format(", so {:g} lanes wrapped", lanes) : ""),
        fmt::format("a 16-bit lane holds {} such products; K = {} puts {:.4g} into each of {:g} lanes", holds, k,
                    static_cast<double>(k) / std::max(lanes, 1.0), lanes)};
    if (const std::string lane = lane_columns(k, code, q, off); !lane.empty()) d.evidence.push_back(lane);
    return d;
  }

  // Columns that share a lane: silencing one of them keeps its lane from wrapping; silencing a second one of the same
  // lane changes nothing more.
  std::string lane_columns(int64_t k, int code, int q, double off) const {
    constexpr int64_t kPeriod = 128;
    const auto silenced = [&](int64_t a, int64_t b) {
      I2sProblem p = ask_.blank(k, base_.n, code, q);
      for (int64_t j = 0; j < k; ++j) {
        if (j % kPeriod == a || j % kPeriod == b) {
          for (int64_t row = 0; row < p.act_rows(); ++row) p.q[static_cast<size_t>(row * k + j)] = 0;
        }
      }
      return p;
    };
    std::vector<I2sProblem> problems;
    for (int64_t b = 0; b < kPeriod; ++b) problems.push_back(silenced(0, b));
    const std::vector<double> r = residuals(problems);
    if (r[0] == off) return "";
    std::vector<int64_t> same;
    for (int64_t b = 0; b < kPeriod; ++b) {
      if (r[static_cast<size_t>(b)] == r[0]) same.push_back(b);
    }
    if (same.size() > 64) return "";
    return "columns that share a lane with column 0 (mod 128): " + ranges(same);
  }

  Found by_residuals(std::span<const Failed> failures) const {
    std::string sample;
    bool narrow = false;  // some difference that a lane of 24 or 32 bits would not make
    for (const Failed& f : failures) {
      if (f.judgement.verdict != Verdict::mismatch || f.problem().w_scale != 1 || f.problem().act_scale != 1)
        return std::nullopt;
      for (int32_t i : f.judgement.wrong) {
        const double off = f.judgement.got[static_cast<size_t>(i)] - f.expected().values[static_cast<size_t>(i)];
        if (std::fmod(off, kWrap) != 0) return std::nullopt;
        narrow |= std::fmod(off, kWrap * 256) != 0;
        if (sample.empty())
          sample =
              fmt::format("K = {}: result {} is off by {:.0f} = 2^16 x {:.0f}", f.problem().k, i, off, off / kWrap);
      }
    }
    if (!narrow) return std::nullopt;
    Diagnosis d;
    d.name = "int16-overflow";
    d.sentence = "a 16-bit accumulator wraps, on data whose signs do not cancel in its lanes";
    d.evidence = {sample, "every failing result is off by a multiple of 2^16"};
    return d;
  }

  const Asker& ask_;
  const Base& base_;
  size_t at_;
};

}  // namespace

Found magnitudes(const Asker& ask, const Base& base, std::span<const Failed> failures) {
  const Magnitudes m(ask, base);
  // the control: the same question with small values must be right, or these causes are not the cause
  if (m.residual(m.blank(base.k)) != 0) return std::nullopt;
  if (auto d = m.byte_table()) return d;
  if (auto d = m.int8_min()) return d;
  if (auto d = m.saturation()) return d;
  return m.wrap(failures);
}

}  // namespace tritcheck::i2_s_steps
