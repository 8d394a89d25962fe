// From a case to the data of its problem: rows of I2_S.
#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "harness/cases/generate.h"
#include "reference/prng.h"

namespace tritcheck {
namespace {

using Row = std::vector<uint8_t>;
using Acts = std::vector<int8_t>;

int8_t i8(int64_t v) {
  return static_cast<int8_t>(v);
}
uint8_t u8(int64_t v) {
  return static_cast<uint8_t>(v);
}

enum class Probe { onehot, extreme, label, shape, bytes, scale, sum, pair, memory, random };
constexpr std::string_view kProbes[] = {"onehot", "extreme", "label", "shape",  "bytes",
                                        "scale",  "sum",     "pair",  "memory", "random"};

std::optional<Probe> probe_of(std::string_view name) {
  const auto* found = std::find(std::begin(kProbes), std::end(kProbes), name);
  if (found == std::end(kProbes)) return std::nullopt;
  return static_cast<Probe>(found - std::begin(kProbes));
}

// Fills one weight row or one activation row. `r` is the row's own generator: the same prefix for every K.
struct Data {
  Data(const Case& c, Probe which)
      : probe(which),
        k(c.k),
        pos(c.param("pos")),
        code(c.param("code", 1)),
        q(c.param("q", 127)),
        period(c.param("period")),
        digit(c.param("digit")),
        kind(c.param("kind")),
        way(c.param("way") & 3),
        step(c.param("step", 1)),
        codes(c.param("code3") != 0 ? 4 : 3),
        mix(c.param("mix") != 0) {}

  Probe probe;
  int64_t k, pos, code, q, period, digit, kind, way, step, codes;
  bool mix;  // extreme: each value or its neighbour, so that sums are no round numbers

  // signs alternate in runs of `period`; a negative activation meets weight -1 so that every product is positive
  bool negative(int64_t j) const { return period > 0 && j / period % 2 == 1; }

  void weights(uint8_t* row, int64_t index, Prng& r) const {
    const int64_t hot = (pos + index * 37) % k;
    switch (probe) {
      case Probe::extreme:
        return fill(row, [&, d = *this](int64_t j) {
          return d.negative(j) ? 0 : d.code - (d.mix ? static_cast<int64_t>(r.below(2)) : 0);
        });
      case Probe::label:
        return fill(row, [=](int64_t j) { return j == hot; });
      case Probe::shape:
        return fill(row, [&](int64_t) { return r.between(1, 2); });
      case Probe::pair:
        fill(row, [](int64_t) { return 1; });
        return pair_codes(row);
      default:
        return fill(row, [&, n = static_cast<uint64_t>(codes)](int64_t) { return r.below(n); });
    }
  }

  void activations(int8_t* row, int64_t index, Prng& r) const {
    const int64_t hot = (pos + index * 41) % k;
    switch (probe) {
      case Probe::onehot:
        return fill(row, [=](int64_t j) { return j == hot; });
      case Probe::extreme:
        fill(row, [&, d = *this, opposite = std::clamp<int64_t>(-q, -128, 127)](int64_t j) {
          return d.negative(j) ? opposite : d.q - (d.mix ? static_cast<int64_t>(r.below(2)) : 0);
        });
        if (period > 0) row[k - 1] = i8(row[k - 1] < 0 ? row[k - 1] + 1 : row[k - 1] - 1);
        return;
      case Probe::label:
        // digit 0 or 1 of the column number, shifted by the row so that rows differ
        return fill(row, [=, d = *this](int64_t j) {
          const int64_t column = (j + index * 13) % d.k;
          return 1 + (d.digit == 0 ? column % 127 : column / 127 % 127);
        });
      case Probe::shape:
        return fill(row, [&](int64_t) { return r.between(1, 100); });
      case Probe::bytes:
        fill(row, [&](int64_t) {
          const int64_t magnitude = r.between(1, 10);  // drawn first, whatever the compiler
          return r.below(2) != 0 ? magnitude : -magnitude;
        });
        // a sum of exactly zero is F7's subject; here it would only blur which family found what
        if (std::accumulate(row, row + k, int64_t{0}) == 0) row[0] = i8(row[0] < 10 ? row[0] + 1 : 9);
        return;
      case Probe::pair:
        fill(row, [&](int64_t) { return r.below(2) != 0 ? 1 : -1; });
        return pair_values(row);
      case Probe::sum: {
        const int64_t low = kind == 1 ? 1 : kind == 2 ? -128 : -60;
        const int64_t high = kind == 1 ? 127 : kind == 2 ? -1 : 60;
        fill(row, [&, low, high](int64_t) { return r.between(low, high); });
        if (kind == 0) balance(row);
        return;
      }
      default:
        return fill(row, [&](int64_t) { return r.between(-128, 127); });
    }
  }

  // One loop for each kind of data: rows of a million columns are made by the hundred.
  template <class T, class Value>
  void fill(T* row, Value value) const {
    for (int64_t j = 0, end = k; j < end; ++j) row[j] = static_cast<T>(value(j));
  }

  // Moves entries by one until the row sums to zero; they stay within -61..61 of where they were drawn.
  void balance(int8_t* row) const {
    int64_t sum = 0;
    for (int64_t j = 0; j < k; ++j) sum += row[j];
    for (int64_t j = 0; sum != 0; j = (j + 1) % k) {
      const int move = sum > 0 ? -1 : 1;
      if (row[j] + move < -127 || row[j] + move > 127) continue;
      row[j] = i8(row[j] + move);
      sum += move;
    }
  }

  // Four ways to drive the pair at (pos, pos + step): both clamps, and one operand of each sign alone.
  static constexpr int kCodes[4][2] = {{3, 3}, {3, 3}, {3, 0}, {0, 3}};
  static constexpr int kValues[4][2] = {{127, 127}, {-128, -128}, {127, -128}, {-128, 127}};
  int64_t mate() const { return (pos + step) % k; }
  void pair_codes(uint8_t* row) const {
    row[pos % k] = u8(kCodes[way][0]);
    row[mate()] = u8(kCodes[way][1]);
  }
  void pair_values(int8_t* row) const {
    row[pos % k] = i8(kValues[way][0]);
    row[mate()] = i8(kValues[way][1]);
  }
};

constexpr int64_t kRows = 1 << 20;
constexpr Range kParams[] = {{"act", 0, 2},       {"cmax", 1, 3},      {"code", 0, 3},     {"code3", 0, 1},
                             {"digit", 0, 1},     {"i", 0, 4095},      {"j", 0, 4095},     {"kind", 0, 3},
                             {"m", 1, kRows},     {"mix", 0, 1},       {"ooff", 0, 4096},  {"ostride", 1, 64},
                             {"period", 0, 4096}, {"pos", 0, 1 << 24}, {"q", -128, 127},   {"qmin", -128, -1},
                             {"qoff", 0, 4096},   {"qpad", 0, 4096},   {"row0", 0, kRows}, {"slice", 0, kRows},
                             {"step", 1, 64},     {"threads", 1, 8},   {"value", 0, 255},  {"way", 0, 3},
                             {"woff", 0, 4096},   {"wpad", 0, 4096}};

void fill_bytes(I2sProblem& p, int64_t value) {
  std::vector<uint8_t> bytes(static_cast<size_t>(i2_s::code_bytes(p.shape())));
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = u8(value + 7 * static_cast<int64_t>(i));
  i2_s::unpack(p.layout, p.shape(), bytes, p.codes);
}

}  // namespace

void generate_i2_s(const Case& c, Problem& problem) {
  const std::optional<Probe> probe = probe_of(c.probe);
  const bool is_literal = c.probe == "literal";
  if (!probe && !is_literal)
    throw std::invalid_argument("unknown probe '" + c.probe + "'; tritcheck list probes names them");
  check_params(c, kParams);
  I2sProblem p{problem, {}, {}};
  if (c.op == Op::dot && c.n != 1)
    throw std::invalid_argument("op dot computes one result, n=" + std::to_string(c.n) + " does not fit");
  p.row0 = c.op == Op::gemv ? c.param("row0") : 0;
  p.m = c.op == Op::gemv ? c.param("m", p.row0 + c.n) : 0;
  if (c.op == Op::gemv && (p.row0 < 0 || p.m < p.row0 + c.n)) throw std::invalid_argument("m is smaller than row0 + n");
  if (auto why = i2_s::why_illegal(p.layout, p.shape())) throw std::invalid_argument(*why);
  if (p.row0 % i2_s::row_multiple(p.layout) != 0 || (p.op == Op::gemv && p.n % i2_s::row_multiple(p.layout) != 0)) {
    throw std::invalid_argument("row0 and n are not multiples of " + std::to_string(i2_s::row_multiple(p.layout)));
  }
  constexpr int64_t kMostWeights = int64_t{1} << 28;
  if (p.weight_rows() > kMostWeights / p.k || p.act_rows() > kMostWeights / p.k) {
    throw std::invalid_argument("case: more than 2^28 weights or activations");
  }
  if (is_literal) {
    problem = std::move(p);
    return take_literal(c, static_cast<size_t>(i2_s::code_bytes(problem.shape())),
                        static_cast<size_t>(problem.act_rows() * problem.k), problem);
  }
  const Data data(c, *probe);
  const uint64_t seed = data_seed(c);
  p.codes.resize(static_cast<size_t>(p.weight_rows() * p.k));
  p.q.resize(static_cast<size_t>(p.act_rows() * p.k));
  for (int64_t i = 0; i < p.weight_rows(); ++i) {
    Prng r(seed + static_cast<uint64_t>(2 * i) * 0xD1342543DE82EF95U);
    data.weights(p.codes.data() + i * p.k, i, r);
  }
  for (int64_t i = 0; i < p.act_rows(); ++i) {
    Prng r(seed + static_cast<uint64_t>(2 * i + 1) * 0xD1342543DE82EF95U);
    data.activations(p.q.data() + i * p.k, i, r);
  }
  if (probe == Probe::bytes) fill_bytes(p, c.param("value"));
  const auto most_code = static_cast<uint8_t>(std::clamp<int64_t>(c.param("cmax", 3), 1, 3));
  const auto least_q = static_cast<int8_t>(std::clamp<int64_t>(c.param("qmin", -128), -128, -1));
  for (auto& code : p.codes) code = std::min(code, most_code);
  for (auto& q : p.q) q = std::max(q, least_q);
  if (probe == Probe::scale) {
    constexpr float kWeightScales[] = {0.25F, 1.5F, 0x1.9249F2p-7F, -4.0F, 0x1.9p-5F};
    constexpr float kActScales[] = {8.0F, 0.5F, 0x1.FB2D06p+5F, 0x1p-3F, 1.25F};
    p.w_scale = kWeightScales[c.param("i") % 5];
    p.act_scale = kActScales[c.param("j") % 5];
  }
  p.pack();
  problem = std::move(p);
}

}  // namespace tritcheck
