// From which byte did each result take its weights and activations, and where did it go? Asked with random data in
// oversized buffers, and answered by search: the place that reproduces the result exactly.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "harness/diagnose/i2_s/steps.h"
#include "reference/prng.h"

namespace tritcheck::i2_s_steps {
namespace {

// Byte offset of weights and activations behind one result; -1: none reproduces it.
struct Source {
  int64_t weights = -1;
  int64_t activations = -1;
  bool operator==(const Source&) const = default;
};

class Search {
 public:
  Search(const Asker& ask, const Failed& failure, int64_t k) : ask_(ask) {
    p_ = ask.blank(k, failure.problem().n, 1, 1);
    codes_.resize(static_cast<size_t>(k));
    // pads tell a stride from the length of a row; kept at the failure's where it had some
    p_.w_pad = std::max<int64_t>(failure.problem().w_pad, 12);
    p_.q_pad = std::max<int64_t>(failure.problem().q_pad, 20);
    if (p_.op == Op::gemv) p_.w_pad = 0;
    for (int round = 0; round < kRounds; ++round) data_[round].request = fresh(0x5EED + static_cast<uint64_t>(round));
  }

  bool run() {
    for (Round& r : data_) {
      const Answer a = ask_.ask(p_, r.request);
      if (!a.returned) return false;
      r.values = a.values;
    }
    for (int32_t i = 0; i < p_.n; ++i) found_.push_back(find(i, wanted(i)));
    return true;
  }

  Source wanted(int32_t i) const {
    if (p_.op == Op::rows) return {i * static_cast<int64_t>(request().w_stride), 0};
    if (p_.op == Op::acts) return {0, i * static_cast<int64_t>(request().q_stride)};
    return {i * p_.k / 4, 0};
  }
  const std::vector<Source>& found() const { return found_; }
  const I2sProblem& problem() const { return p_; }
  const CallRequest& request() const { return data_[0].request; }

 private:
  // One answer can be met by chance at one of some thousand places, two answers to different data hardly.
  static constexpr int kRounds = 2;
  struct Round {
    CallRequest request;
    std::vector<double> values;
  };

  CallRequest fresh(uint64_t seed) {
    Prng rng(seed);
    const auto activation = [&rng] { return static_cast<int8_t>(rng.between(1, 60) * (rng.below(2) != 0 ? 1 : -1)); };
    for (auto& c : p_.codes) c = static_cast<uint8_t>(rng.below(3));
    for (auto& q : p_.q) q = activation();
    CallRequest r = ask_.request(p_);
    // what lies behind the legal bytes is random too, four times as long, so that a wrong stride still finds data
    const size_t more_w = p_.op == Op::gemv ? 0 : r.weights.size() * 4 + 64;
    for (size_t i = 0; i < more_w; ++i) r.weights.push_back(byte_of_codes(rng));
    for (int64_t i = 0; i < p_.k * p_.n * 2 + 64; ++i) r.activations.push_back(activation());
    if (p_.op == Op::rows) r.q_stride = static_cast<uint64_t>(p_.k + p_.q_pad);
    if (p_.op == Op::acts) r.w_stride = static_cast<uint64_t>(p_.k / 4 + p_.w_pad);
    return r;
  }

  static uint8_t byte_of_codes(Prng& rng) {
    unsigned byte = 0;
    for (int f = 0; f < 4; ++f) byte = byte * 4 + static_cast<unsigned>(rng.below(3));
    return static_cast<uint8_t>(byte);
  }

  bool is(int32_t i, int64_t w, int64_t q) {
    return std::all_of(std::begin(data_), std::end(data_), [&](const Round& r) {
      int64_t sum = p_.op == Op::gemv ? -int64_t{r.request.act_sum} : 0;
      i2_s::unpack_row(p_.layout, {p_.k, 1}, std::span(r.request.weights).subspan(static_cast<size_t>(w)), 0, codes_);
      const int8_t* act = r.request.activations.data() + q;
      const int offset = p_.result == Result::centred ? 1 : 0;
      for (size_t j = 0; j < codes_.size(); ++j) sum += (codes_[j] - offset) * act[j];
      return static_cast<double>(sum) == r.values[static_cast<size_t>(i)];
    });
  }

  Source find(int32_t i, Source first) {
    if (is(i, first.weights, first.activations)) return first;
    const int64_t last_w = static_cast<int64_t>(request().weights.size()) - p_.k / 4;
    const int64_t last_q = static_cast<int64_t>(request().activations.size()) - p_.k;
    for (int64_t w = 0; w <= last_w; ++w) {
      for (int64_t q : {first.activations, int64_t{0}}) {
        if (is(i, w, q)) return {w, q};
      }
    }
    for (int64_t q = 0; q <= last_q; ++q) {
      for (int64_t w : {first.weights, int64_t{0}}) {
        if (is(i, w, q)) return {w, q};
      }
    }
    return {};
  }

  const Asker& ask_;
  I2sProblem p_;
  Round data_[kRounds];
  std::vector<Source> found_;
  std::vector<uint8_t> codes_;  // scratch: one decoded row
};

std::string list(const std::vector<Source>& sources, int64_t Source::*part) {
  std::string out;
  for (size_t i = 0; i < sources.size() && i < 8; ++i) out += fmt::format("{}{}", i > 0 ? ", " : "", sources[i].*part);
  return out;
}

}  // namespace

Found rows_misplaced(const Asker& ask, const Failed& failure) {
  const Contract& c = ask.contract();
  // four interleaved rows have no row offset; their faults show in the structure
  if (c.op == Op::dot || failure.problem().n < 2 || c.layout == Layout::rows_1x4) return std::nullopt;
  Search search(
      ask, failure,
      std::min<int64_t>(std::max<int64_t>(c.k_multiple, 256 / c.k_multiple * c.k_multiple), failure.problem().k));
  if (!search.run()) return std::nullopt;
  const I2sProblem& p = search.problem();
  const int64_t w_stride = static_cast<int64_t>(search.request().w_stride);
  const int64_t q_stride = static_cast<int64_t>(search.request().q_stride);
  std::vector<Source> want;
  for (int32_t i = 0; i < p.n; ++i) want.push_back(search.wanted(i));
  const std::vector<Source>& got = search.found();
  if (got == want) return std::nullopt;
  const auto all = [&](auto rule) {
    for (int32_t i = 0; i < p.n; ++i) {
      if (got[static_cast<size_t>(i)] != rule(int64_t{i})) return false;
    }
    return true;
  };
  if (std::any_of(got.begin(), got.end(), [](const Source& s) { return s.weights < 0; })) return std::nullopt;

  Diagnosis d;
  d.evidence = {
      "weights were read from bytes " + list(got, &Source::weights) + "; right are " + list(want, &Source::weights),
      "activations were read from bytes " + list(got, &Source::activations) + "; right are " +
          list(want, &Source::activations)};
  const bool swapped = c.op == Op::rows ? all([&](int64_t i) {
                                            return Source{0, i * q_stride};
                                          }) ||
                                              all([&](int64_t i) {
                                                return Source{0, i * p.k};
                                              })
                                        : all([&](int64_t i) {
                                            return Source{i * w_stride, 0};
                                          }) ||
                                              all([&](int64_t i) {
                                                return Source{i * p.k / 4, 0};
                                              }) ||
                                              all([&](int64_t i) {
                                                return Source{i * p.k, 0};
                                              });
  if (swapped) {
    d.name = "nrc-swapped";
    d.sentence = c.op == Op::rows ? "nrc is taken as a number of activation rows; the contract counts weight rows"
                                  : "nrc is taken as a number of weight rows; the contract counts activation rows";
  } else if (c.op == Op::acts) {
    d.name = "act-stride";
    d.sentence = all([&](int64_t i) {
      return Source{0, i * p.k};
    })
                     ? fmt::format("activation rows are taken K = {} bytes apart; q_stride says {}", p.k, q_stride)
                     : fmt::format("activation rows are taken from the wrong places; q_stride is {}", q_stride);
  } else {
    d.name = "row-stride";
    const int64_t first = got.size() > 1 ? got[1].weights : 0;
    const bool even = all([&](int64_t i) { return Source{i * first, 0}; });
    d.sentence = even ? fmt::format("weight rows are taken {} bytes apart; {} is right{}", first, want[1].weights,
                                    first == p.k            ? " (a row of K weights has K / 4 bytes)"
                                    : first == 4 * w_stride ? " (the stride is already in bytes)"
                                                            : "")
                      : fmt::format("some weight rows are taken from another row's place ({} rows in this call)", p.n);
    if (!even) {
      std::vector<int64_t> wrong;
      for (int32_t i = 0; i < p.n; ++i) {
        if (got[static_cast<size_t>(i)] != want[static_cast<size_t>(i)]) wrong.push_back(i);
      }
      d.evidence.push_back("rows taken from elsewhere: " + ranges(wrong));
    }
  }
  return d;
}

Found outputs_misplaced(const Asker& ask, const Failed& failure) {
  if (ask.contract().op != Op::rows && ask.contract().op != Op::acts) return std::nullopt;
  Problem p = failure.problem();
  if (p.n < 2 || p.out_stride < 2) return std::nullopt;
  const std::vector<double> right = right_values(p);
  CallRequest r = ask.request(p);
  r.out_words = static_cast<uint32_t>(2 * p.n * p.out_stride + 8);
  const Answer a = ask.ask(p, r);
  if (!a.returned) return std::nullopt;
  const auto word = [&](int64_t i) {
    const uint32_t bits = a.words[static_cast<size_t>(i)];
    return p.float_out ? double{std::bit_cast<float>(bits)} : static_cast<double>(std::bit_cast<int32_t>(bits));
  };
  for (int64_t stride = 1; stride <= 2 * p.out_stride; ++stride) {
    if (stride == p.out_stride) continue;
    bool all = true;
    for (int32_t i = 0; i < p.n; ++i) all &= word(i * stride) == right[static_cast<size_t>(i)];
    if (!all) continue;
    Diagnosis d;
    d.name = "out-stride";
    d.sentence = fmt::format("results are written {} elements apart; out_stride says {}", stride, p.out_stride);
    d.evidence = {fmt::format("all {} results are right, at words 0, {}, ...", p.n, stride)};
    return d;
  }
  return std::nullopt;
}

}  // namespace tritcheck::i2_s_steps
