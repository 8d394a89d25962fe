#include "harness/suppliers/infer_i2_s.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "harness/cases/problem.h"
#include "reference/prng.h"

namespace tritcheck {
namespace {

constexpr int64_t kColumns = 256;  // two blocks of the largest layout
constexpr int kNrc[] = {2, 3, 4, 8};
constexpr uint32_t kStride = 3;  // between results of activation rows

// Random ternary rows and activations that are all different.
I2sProblem question(Layout layout, int32_t rows, uint64_t seed) {
  I2sProblem p;
  p.op = Op::rows;
  p.layout = layout;
  p.k = kColumns;
  p.n = rows;
  Prng r(seed);
  for (int64_t i = 0; i < rows * kColumns; ++i) p.codes.push_back(static_cast<uint8_t>(r.below(3)));
  for (int64_t j = 0; j < kColumns; ++j) p.q.push_back(static_cast<int8_t>(j - 128 + static_cast<int64_t>(seed % 3)));
  for (int8_t& q : p.q) q = q == -128 ? int8_t{127} : q;
  std::rotate(p.q.begin(), p.q.begin() + static_cast<ptrdiff_t>(17 * (seed + 1)), p.q.end());
  return p;
}

bool same(const CallResult& r, size_t at, double value) {
  return r.out_a[at] != kCanaryA && double{std::bit_cast<float>(r.out_a[at])} == value;
}

class Inference {
 public:
  Inference(Executor& executor, uint32_t kernel) : executor_(executor), kernel_(kernel) {}

  I2sContract infer() {
    find_layout();
    for (const int nrc : kNrc) out_.nrc.emplace_back(nrc, meaning(nrc));
    return out_;
  }

 private:
  // The layout under which three random rows all get their right sum, raw or centred.
  void find_layout() {
    bool any_written = false;
    for (const Layout layout : {Layout::x86_128, Layout::arm_64, Layout::linear}) {
      for (const Result result : {Result::raw, Result::centred}) {
        bool all = true;
        for (uint64_t seed = 0; seed < 3 && all; ++seed) {
          I2sProblem p = question(layout, 1, seed);
          p.op = Op::dot;
          p.result = result;
          p.pack();
          const CallRequest request = make_request(p, kernel_, false);
          const CallResult r = executor_.run({&request, 1}).at(0);
          all = r.status == CallStatus::returned && same(r, 0, expected(p).values.at(0));
          any_written |= r.status == CallStatus::returned && r.out_a[0] != kCanaryA;
        }
        if (!all) continue;
        out_.layout = layout;
        out_.result = result;
        return;
      }
    }
    out_.written = any_written;
  }

  NrcMeaning meaning(int nrc) {
    if (!out_.layout) return out_.written ? NrcMeaning::other : NrcMeaning::unwritten;
    I2sProblem rows = question(*out_.layout, nrc, 5);
    rows.result = out_.result;
    rows.pack();
    const std::vector<double> of_rows = expected(rows).values;
    // as many activation rows, the first of which is the one above
    std::vector<int8_t> acts = rows.q;
    std::vector<double> of_acts = {of_rows[0]};
    for (int i = 1; i < nrc; ++i) {
      I2sProblem one = question(*out_.layout, 1, 5);
      one.op = Op::dot;
      one.result = out_.result;
      std::rotate(one.q.begin(), one.q.begin() + 29 * i, one.q.end());
      one.codes.assign(rows.codes.begin(), rows.codes.begin() + kColumns);
      one.pack();
      of_acts.push_back(expected(one).values.at(0));
      acts.insert(acts.end(), one.q.begin(), one.q.end());
    }
    CallRequest request = make_request(rows, kernel_, false);
    request.activations.assign(acts.begin(), acts.end());
    request.q_stride = kColumns;
    request.out_stride = kStride;
    request.out_words = static_cast<uint32_t>(nrc) * kStride;
    const CallResult r = executor_.run({&request, 1}).at(0);
    if (r.status != CallStatus::returned) return NrcMeaning::other;
    bool all_rows = true;
    bool all_acts = true;
    bool only_first = same(r, 0, of_rows[0]);
    for (size_t i = 0; i < static_cast<size_t>(nrc); ++i) {
      all_rows = all_rows && same(r, i, of_rows[i]);
      all_acts = all_acts && same(r, i * kStride, of_acts[i]);
    }
    for (size_t i = 1; i < r.out_a.size(); ++i) only_first = only_first && r.out_a[i] == kCanaryA;
    if (all_rows) return NrcMeaning::weight_rows;
    if (all_acts) return NrcMeaning::activation_rows;
    if (only_first) return NrcMeaning::ignored;
    return r.out_a[0] == kCanaryA ? NrcMeaning::unwritten : NrcMeaning::other;
  }

  Executor& executor_;
  uint32_t kernel_;
  I2sContract out_;
};

}  // namespace

std::string_view words(NrcMeaning meaning) {
  constexpr std::string_view all[] = {"weight rows", "activation rows", "ignored", "nothing is written",
                                      "something else"};
  return all[static_cast<size_t>(meaning)];
}

std::string I2sContract::text() const {
  if (!written) return "the output is never written: an empty body for this CPU or build?";
  if (!layout) return "none of the layouts x86_128, arm_64 and linear, raw or centred, reproduces its answers";
  std::string out = fmt::format("layout {}, {}", i2_s::name(*layout), name(result));
  NrcMeaning last = NrcMeaning::other;
  bool first = true;
  std::string numbers;
  const auto flush = [&] {
    if (!numbers.empty())
      out += fmt::format("{} nrc = {}: {}", out.find("nrc") == std::string::npos ? ";" : ",", numbers, words(last));
    numbers.clear();
  };
  for (const auto& [n, m] : nrc) {
    if (!first && m != last) flush();
    first = false;
    last = m;
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(n);
  }
  flush();
  return out;
}

std::vector<I2sContract::Part> I2sContract::parts() const {
  std::vector<Part> out;
  const Layout read = layout.value_or(Layout::x86_128);
  const auto add = [&](Op op, const std::string& suffix, int64_t multiple) {
    Contract c = i2_s_contract(op, read);
    c.result = result;
    c.float_out = true;
    c.row_multiple = multiple;
    c.q_min = -127;  // what the quantiser of these libraries writes
    c.max_code = 2;
    c.k_multiple = read == Layout::arm_64 ? 64 : 128;
    out.push_back({suffix, c});
  };
  add(Op::dot, "", 1);
  const auto all = [&](std::initializer_list<int> these, NrcMeaning m) {
    return layout && std::all_of(these.begin(), these.end(), [&](int n) {
             return std::find(nrc.begin(), nrc.end(), std::pair(n, m)) != nrc.end();
           });
  };
  if (all({2, 3, 4, 8}, NrcMeaning::weight_rows)) {
    add(Op::rows, " (nrc: weight rows)", 1);
  } else if (all({4, 8}, NrcMeaning::activation_rows)) {
    add(Op::acts, " (nrc: activation rows)", 4);
  }
  return out;
}

I2sContract infer_i2_s(Executor& executor, uint32_t kernel) {
  return Inference(executor, kernel).infer();
}

}  // namespace tritcheck
