// What the probe families ask of rows of plain codes: I2_S.
#include <algorithm>
#include <set>

#include "harness/probes/generators.h"

namespace tritcheck::i2_s_cases {
namespace {

using Cases = std::vector<Case>;
using Params = std::map<std::string, int64_t>;

// Results a case asks for when the shape is not what is tested. Two groups of the largest row group in the wild.
int32_t usual_n(const Contract& c) {
  return c.op == Op::dot ? 1 : static_cast<int32_t>(std::max<int64_t>(4, 2 * c.row_multiple));
}

// Eight and four together and three left over: every path of a kernel that takes many results at a time.
int32_t wide_n(const Contract& c) {
  return static_cast<int32_t>(15 * c.row_multiple);
}

// Every so many of the same cases with more results at a time, for operations that have them.
void also_wide(const Contract& c, Cases& cases, size_t every = 1) {
  if (c.op == Op::dot) return;
  const size_t count = cases.size();
  for (size_t i = 0; i < count; i += every) {
    Case wide = cases[i];
    wide.n = wide_n(c);
    if (c.op == Op::gemv) wide.params["m"] += wide.n - cases[i].n;
    cases.push_back(std::move(wide));
  }
}

// The unit of a layout: the smallest K that every kernel can be given and that fills whole bytes and common vectors.
int64_t unit_of(const Contract& c) {
  const int64_t step = std::max<int64_t>(c.k_multiple, 16);
  return (step + c.k_multiple - 1) / c.k_multiple * c.k_multiple;
}

int64_t up_to(int64_t k, int64_t multiple) {
  return (k + multiple - 1) / multiple * multiple;
}

Case make(const Contract& c, uint64_t seed, std::string_view probe, int64_t k, Params params = {}, int32_t n = 0) {
  Case one;
  one.op = c.op;
  one.layout = c.layout;
  one.k = up_to(k, c.k_multiple);
  one.n = n > 0 ? n : usual_n(c);
  one.probe = probe;
  one.seed = seed;
  one.params = std::move(params);
  // a contract with narrower operands is held to what it promises: the data are clamped to it
  if (c.max_code < 3) one.params["cmax"] = c.max_code;
  if (c.q_min > -128) one.params["qmin"] = c.q_min;
  if (c.op == Op::gemv) {
    // never the whole tensor, never from its start: a kernel must find its rows and the scale behind all of them
    one.params.try_emplace("row0", 2 * c.row_multiple);
    one.params.try_emplace("m", one.params["row0"] + one.n + 3 * c.row_multiple);
  }
  return one;
}

}  // namespace

Cases one_hot(const KernelInfo& kernel, Level level, uint64_t seed) {
  const Contract& c = kernel.contract;
  Cases out;
  const int64_t k = level == Level::thorough ? 1024 : 256;
  for (int64_t pos = 0; pos < up_to(k, c.k_multiple); ++pos) out.push_back(make(c, seed, "onehot", k, {{"pos", pos}}));
  return out;
}

Cases extremes(const KernelInfo& kernel, Level level, uint64_t seed) {
  const Contract& c = kernel.contract;
  Cases out;
  const auto group = static_cast<int32_t>(c.row_multiple);
  std::set<std::pair<int64_t, int64_t>> seen;
  constexpr int64_t kPairs[][2] = {{2, 127}, {2, -127}, {2, -128}, {3, 127}, {3, -128}};
  // A 16-bit lane holds floor(32767 / (code * |q|)) products. With `lanes` lanes sharing K columns, K = bound * lanes
  // is the last that fits. 8 lanes is one 128-bit accumulator, 64 is four of 256 bits.
  for (const auto& [code, q] : kPairs) {
    if (code > c.max_code || q < c.q_min) continue;
    const int64_t products = (q < 0 ? 32768 : 32767) / (code * std::abs(q));
    for (int64_t lanes : {8, 16, 32, 64}) {
      const int64_t last = products * lanes / c.k_multiple * c.k_multiple;
      for (int64_t k : {last, last + c.k_multiple, up_to(last + lanes, 128)}) {
        if (k >= c.k_multiple && seen.emplace(k, code * 1000 + q).second) {
          out.push_back(make(c, seed, "extreme", k, {{"code", code}, {"q", q}}));
        }
      }
    }
  }
  // Accumulators that are widened every so many blocks (up to 32 blocks of 128) may wrap only just before.
  for (int64_t k : {2048, 4096, 8192}) {
    for (int64_t period : {1, 2, 16, 32})
      out.push_back(make(c, seed, "extreme", k, {{"code", 2}, {"q", 127}, {"period", period}}));
    out.push_back(make(c, seed, "extreme", k, {{"code", 2}, {"q", 127}}));
  }
  also_wide(c, out, 5);
  // sums that are odd and beyond 2^24, which float32 cannot hold: K just over 2^16
  if (c.k_max >= 65792)
    out.push_back(make(c, seed, "extreme", 65664, {{"code", c.max_code}, {"q", 127}, {"mix", 1}}, group));
  if (level != Level::quick) {
    const int64_t top = std::min(c.k_max, int64_t{1} << 20) / c.k_multiple * c.k_multiple;
    out.push_back(make(c, seed, "extreme", top, {{"code", c.max_code}, {"q", 127}, {"mix", 1}}, group));
    for (const auto& [code, q] : kPairs)
      out.push_back(make(c, seed, "extreme", top, {{"code", code}, {"q", q}}, static_cast<int32_t>(c.row_multiple)));
  }
  return out;
}

Cases labels(const KernelInfo& kernel, Level level, uint64_t seed) {
  const Contract& c = kernel.contract;
  Cases out;
  const int64_t k = up_to(level == Level::thorough ? 1024 : 256, c.k_multiple);
  for (int64_t pos = 0; pos < k; ++pos) {
    for (int64_t digit : {0, 1}) out.push_back(make(c, seed, "label", k, {{"pos", pos}, {"digit", digit}}));
  }
  return out;
}

Cases shapes(const KernelInfo& kernel, Level level, uint64_t seed) {
  const Contract& c = kernel.contract;
  Cases out;
  const int64_t unit = unit_of(c);
  std::vector<int64_t> ks;
  // 1 .. 2u + 1 units for every unroll u up to 8, then widths of real models with an odd number of blocks
  for (int64_t units = 1; units <= (level == Level::thorough ? 65 : 17); ++units) ks.push_back(units * unit);
  for (int64_t k : {576, 2880, 3200, 8640}) {
    if (k % c.k_multiple == 0 && (level != Level::quick || k <= 3200)) ks.push_back(k);
  }
  // every residue of the largest unit in the wild, short and behind whole units
  for (int64_t k = c.k_multiple; c.k_multiple < unit && k <= 2 * unit; k += c.k_multiple) ks.push_back(k);
  for (int64_t k = 128; c.k_multiple < 128 && k < 256; k += std::max<int64_t>(c.k_multiple, 4)) ks.push_back(k);
  // dense positive data, in which anything lost or repeated shows, and all values, in which a wrong one shows
  for (int64_t k : ks) {
    out.push_back(make(c, seed, "shape", k));
    for (int64_t i = 0; i < (level == Level::quick ? 2 : 4); ++i) out.push_back(make(c, seed, "random", k, {{"i", i}}));
  }
  if (c.op != Op::dot) {
    std::vector<int32_t> counts = {18, 19, 31, 32, 33, 40};
    for (int32_t n = 1; n <= 17; ++n) counts.push_back(n);
    for (int32_t n : counts) {
      const auto results = static_cast<int32_t>(n * c.row_multiple);
      out.push_back(make(c, seed, "shape", 3 * unit, {}, results));
      out.push_back(make(c, seed, "random", 9 * unit, {{"i", 0}}, results));
      if (level != Level::quick) out.push_back(make(c, seed, "shape", 2 * unit, {}, results));
    }
  }
  if (c.op == Op::gemv) {
    // all rows, the last rows, and rows whose number does not fit a byte
    const int64_t group = c.row_multiple;
    const auto some = static_cast<int32_t>(4 * group);
    out.push_back(make(c, seed, "shape", 3 * unit, {{"row0", 0}, {"m", some}}, some));
    out.push_back(make(c, seed, "shape", 3 * unit, {{"row0", 3 * group}, {"m", 3 * group + some}}, some));
    out.push_back(make(c, seed, "random", unit, {{"row0", 256 - 2 * group}, {"m", 256 + 4 * group}, {"i", 0}}, some));
  }
  return out;
}

Cases byte_values(const KernelInfo& kernel, Level, uint64_t seed) {
  const Contract& c = kernel.contract;
  Cases out;
  for (int64_t value = 0; value < 256; ++value) out.push_back(make(c, seed, "bytes", 256, {{"value", value}}));
  also_wide(c, out, 5);
  return out;
}

Cases scales(const KernelInfo& kernel, Level, uint64_t seed) {
  const Contract& c = kernel.contract;
  Cases out;
  if (c.op != Op::gemv) return out;
  for (int64_t i = 0; i < 5; ++i) {
    for (int64_t j = 0; j < 5; ++j) out.push_back(make(c, seed, "scale", 512, {{"i", i}, {"j", j}}));
  }
  return out;
}

Cases sums(const KernelInfo& kernel, Level, uint64_t seed) {
  const Contract& c = kernel.contract;
  Cases out;
  for (int64_t kind : {0, 1, 2, 3}) {
    for (int64_t k : {256, 512, 1024}) out.push_back(make(c, seed, "sum", k, {{"kind", kind}}));
  }
  return out;
}

Cases pairs(const KernelInfo& kernel, Level, uint64_t seed) {
  const Contract& c = kernel.contract;
  Cases out;
  const int64_t k = up_to(256, c.k_multiple);
  for (int64_t pos = 0; pos < k; ++pos) {
    for (int64_t way = 0; way < 4; ++way) {
      // adjacent columns; in `linear` a kernel pairs columns of neighbouring bytes, which are four apart
      if (pos % 2 == 0) out.push_back(make(c, seed, "pair", k, {{"pos", pos}, {"way", way}}));
      if (c.layout == Layout::linear && pos % 8 < 4) {
        out.push_back(make(c, seed, "pair", k, {{"pos", pos}, {"way", way}, {"step", 4}}));
      }
    }
  }
  also_wide(c, out, 7);  // 7: all four ways in turn
  return out;
}

Cases memory(const KernelInfo& kernel, Level level, uint64_t seed) {
  const Contract& c = kernel.contract;
  Cases out;
  constexpr int64_t offsets[] = {1, 2, 4, 8, 16, 3, 31};
  for (int64_t k : level == Level::quick ? std::vector<int64_t>{256} : std::vector<int64_t>{256, 512, 1536}) {
    for (int64_t off : offsets) {
      if (off % c.align_w == 0) out.push_back(make(c, seed, "memory", k, {{"woff", off}}));
      if (off % c.align_q == 0) out.push_back(make(c, seed, "memory", k, {{"qoff", off}}));
      if (off * 4 % c.align_out == 0) out.push_back(make(c, seed, "memory", k, {{"ooff", off * 4}}));
    }
    if (c.op == Op::rows || c.op == Op::acts) {
      for (int64_t pad : {1, 16, 36, 100})
        out.push_back(make(c, seed, "memory", k, {{c.op == Op::rows ? "wpad" : "qpad", pad}}));
      for (int64_t stride : {2, 5}) out.push_back(make(c, seed, "memory", k, {{"ostride", stride}}));
    }
    if (c.op == Op::gemv) {
      // a tensor that ends, with its scale, where the rows asked for end
      const int32_t n = usual_n(c);
      out.push_back(make(c, seed, "memory", k, {{"row0", 0}}));
      out.push_back(make(c, seed, "memory", k, {{"row0", 0}, {"m", n}}));
      out.push_back(make(c, seed, "memory", k, {{"row0", c.row_multiple}, {"m", c.row_multiple + n}}));
    }
  }
  also_wide(c, out);
  return out;
}

Cases threads(const KernelInfo& kernel, Level, uint64_t seed) {
  const Contract& c = kernel.contract;
  return {make(c, seed, "random", 1024, {{"i", 0}, {"threads", 4}})};
}

Cases random_data(const KernelInfo& kernel, Level level, uint64_t seed) {
  const Contract& c = kernel.contract;
  Cases out;
  const int64_t many = level == Level::quick ? 2 : level == Level::standard ? 8 : 64;
  for (int64_t k : {256, 2560, 4096, 6912}) {
    for (int64_t i = 0; i < many; ++i) {
      out.push_back(make(c, seed, "random", k, {{"i", i}}));
      if (level != Level::quick) out.push_back(make(c, seed, "random", k, {{"i", i}, {"code3", 1}}));
    }
  }
  also_wide(c, out);
  // widths of larger models, with odd numbers of blocks too, and beyond what 15 and 16 bits count
  const auto group = static_cast<int32_t>(c.row_multiple);
  for (int64_t k : {8832, 11008, 14464, 33024, 65664}) out.push_back(make(c, seed, "random", k, {{"i", 0}}, group));
  if (level != Level::quick)
    out.push_back(make(c, seed, "random", std::min(c.k_max, int64_t{1} << 20), {{"i", 0}}, group));
  return out;
}

}  // namespace tritcheck::i2_s_cases
