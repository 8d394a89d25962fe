// What the probe families ask of rows of blocks: the same ideas, with scales in every block.
#include <algorithm>

#include "harness/cases/grids.h"
#include "harness/probes/generators.h"

namespace tritcheck::block_cases {
namespace {

using Cases = std::vector<Case>;
using Params = std::map<std::string, int64_t>;

Case make(const KernelInfo& f, uint64_t seed, const char* probe, int64_t k, Params params = {}, int32_t n = 1) {
  const int64_t step = f.contract.k_multiple;
  return {f.format, f.contract.op, (k + step - 1) / step * step, n, probe, seed, std::move(params)};
}

// The same cases with two rows at a time, for functions that can: rows apart, results apart.
void also_two_rows(const KernelInfo& f, Cases& cases, size_t every = 1) {
  if (f.contract.op != Op::vec_dot || f.nrows < 2) return;
  const size_t count = cases.size();
  for (size_t i = 0; i < count; i += every) {
    Case two = cases[i];
    two.n = 2;
    cases.push_back(std::move(two));
  }
}

bool dot(const KernelInfo& f) {
  return f.contract.op == Op::vec_dot;
}

}  // namespace

// Plain floats have no blocks: their dots are asked for every length, one-hot, and with starts and strides; their
// conversions for all values.
Cases of_plain(const KernelInfo& f, std::string_view family, uint64_t seed) {
  Cases out;
  const auto add = [&](const char* probe, int64_t k, Params params = {}) {
    out.push_back(make(f, seed, probe, k, std::move(params)));
  };
  const bool is_dot = f.contract.op == Op::vec_dot;
  if (family == "F4") {
    for (int64_t k = 1; k <= 140; ++k) add(is_dot ? "shape" : f.contract.op == Op::to_float ? "bytes" : "random", k);
    for (int64_t k : {576, 2880, 4096, 4099}) add(is_dot || f.contract.op == Op::from_float ? "random" : "bytes", k);
  } else if (family == "F1" && is_dot) {
    for (int64_t pos = 0; pos < 291; ++pos) add("onehot", 291, {{"pos", pos}});
  } else if (family == "F5" && f.contract.op == Op::to_float) {
    for (int64_t value = 0; value < 256; ++value) add("bytes", 256, {{"value", value}});
  } else if (family == "F9" && f.contract.op == Op::from_float) {
    for (int64_t kind = 0; kind < 7; ++kind) add("special", 512, {{"kind", kind}});
  } else if (family == "F10" && f.contract.op == Op::from_float) {
    for (int64_t kind = 0; kind < 6; ++kind) add("tie", 1024, {{"kind", kind}});
  } else if (family == "F12") {
    add(f.contract.op == Op::to_float ? "bytes" : "random", 1000, {{"threads", 4}});
  } else if (family == "F11") {
    for (int64_t off : {2, 4, 6, 8, 16, 30}) {
      const char* probe = is_dot ? "random" : f.contract.op == Op::to_float ? "bytes" : "random";
      if (off % f.contract.align_w == 0) add(probe, 300, {{"woff", off}});
      if (is_dot && off % f.contract.align_q == 0) add(probe, 300, {{"qoff", off}});
      if (off % 4 == 0) add(probe, 300, {{"ooff", off}});
    }
  }
  return out;
}

Cases shapes(const KernelInfo& f, Level level, uint64_t seed) {
  Cases out;
  const int64_t unit = f.contract.k_multiple;
  std::vector<int64_t> ks;
  for (int64_t units = 1; units <= (level == Level::thorough ? 65 : 17); ++units) ks.push_back(units * unit);
  // widths of models, then rows beyond which indices of 16 bits, of elements or of bytes, no longer reach
  for (int64_t k : {576, 608, 2880, 3200, 8640, 28672, 33024, 66048}) {
    if (k % unit == 0 && (level != Level::quick || k <= 8640 || k == 66048)) ks.push_back(k);
  }
  if (f.contract.op == Op::from_float) {
    for (const int64_t k : ks) out.push_back(make(f, seed, "random", k));
    return out;
  }
  for (const int64_t k : ks) {
    out.push_back(make(f, seed, "shape", k));
    if (dot(f)) out.push_back(make(f, seed, "random", k));
  }
  also_two_rows(f, out);
  return out;
}

Cases one_hot(const KernelInfo& f, Level, uint64_t seed) {
  Cases out;
  if (!dot(f)) return out;
  const int64_t k = 2 * std::max<int64_t>(f.contract.k_multiple, 128);
  for (int64_t pos = 0; pos < k; ++pos) out.push_back(make(f, seed, "onehot", k, {{"pos", pos}}));
  also_two_rows(f, out, 5);
  return out;
}

Cases byte_values(const KernelInfo& f, Level, uint64_t seed) {
  Cases out;
  if (f.contract.op == Op::from_float) return out;
  for (int64_t value = 0; value < 256; ++value) out.push_back(make(f, seed, "bytes", 256, {{"value", value}}));
  also_two_rows(f, out, 5);
  return out;
}

Cases sums(const KernelInfo& f, Level, uint64_t seed) {
  Cases out;
  if (!dot(f)) return out;
  for (int64_t kind : {0, 1, 2, 3}) {
    for (int64_t k : {256, 512, 1024}) out.push_back(make(f, seed, "sum", k, {{"kind", kind}}));
  }
  return out;
}

Cases pairs(const KernelInfo& f, Level level, uint64_t seed) {
  Cases out;
  if (!dot(f)) return out;
  const int64_t step = level == Level::quick ? 4 : 1;  // both kinds of neighbours: even-odd and odd-even
  for (int64_t pos = 0; pos < 256; pos += step + pos % 2) {
    for (int64_t way = 0; way < 4; ++way) out.push_back(make(f, seed, "pair", 256, {{"pos", pos}, {"way", way}}));
  }
  return out;
}

Cases scales(const KernelInfo& f, Level, uint64_t seed) {
  Cases out;
  if (f.contract.op == Op::from_float) return out;
  for (int64_t i = 0; i < 8; ++i) {
    for (int64_t k : {256, 768, 1024}) out.push_back(make(f, seed, "scale", k, {{"i", i}}));
  }
  also_two_rows(f, out);
  return out;
}

Cases specials(const KernelInfo& f, Level, uint64_t seed) {
  Cases out;
  const int64_t kinds = f.contract.op == Op::from_float ? 7 : dot(f) ? 15 : 12;
  for (int64_t kind = 0; kind < kinds; ++kind) out.push_back(make(f, seed, "special", 512, {{"kind", kind}}));
  // zero and denormal scales in all blocks, where no ordinary block hides what they add
  for (int64_t kind : {0, 1, 3, 4, 5, 14}) {
    if (f.contract.op != Op::from_float && kind < kinds)
      out.push_back(make(f, seed, "special", 512, {{"kind", kind}, {"sub", 1}}));
  }
  return out;
}

Cases ties(const KernelInfo& f, Level, uint64_t seed) {
  Cases out;
  if (f.contract.op != Op::from_float) return out;
  for (int64_t kind = 0; kind < 6; ++kind) out.push_back(make(f, seed, "tie", 1024, {{"kind", kind}}));
  return out;
}

Cases memory(const KernelInfo& f, Level, uint64_t seed) {
  Cases out;
  for (int64_t off : {1, 2, 4, 6, 8, 12, 16, 30}) {
    if (off % f.contract.align_w == 0) out.push_back(make(f, seed, "memory", 512, {{"woff", off}}));
    if (dot(f) && off % f.contract.align_q == 0) out.push_back(make(f, seed, "memory", 512, {{"qoff", off}}));
    if (off % 4 == 0) out.push_back(make(f, seed, "memory", 512, {{"ooff", off}}));
  }
  const size_t offsets = out.size();
  also_two_rows(f, out);
  if (out.size() > offsets) {
    for (int64_t pad : {4, 36, 100}) {
      out.push_back(make(f, seed, "memory", 512, {{"wpad", pad}}, 2));
      out.push_back(make(f, seed, "memory", 512, {{"qpad", pad}}, 2));
    }
    out.push_back(make(f, seed, "memory", 512, {{"ostride", 16}}, 2));
  }
  return out;
}

Cases extremes(const KernelInfo& f, Level level, uint64_t seed) {
  Cases out;
  if (!dot(f)) return out;
  for (int64_t k : {256, 512, 2048, 4096, 8192}) {
    if (level == Level::quick && k == 8192) continue;
    for (int64_t high : {1, 0}) {
      for (int64_t q : {127, -127, -128}) {
        if (q < f.contract.q_min) continue;
        for (int64_t sub : {1, 0}) {
          for (int64_t period : {0, 1, 16}) {
            if (period != 0 && (q < 0 || k > 4096)) continue;
            Params params{{"high", high}, {"q", q}, {"sub", sub}};
            if (period != 0) params["period"] = period;
            out.push_back(make(f, seed, "extreme", k, params));
          }
        }
      }
    }
  }
  also_two_rows(f, out, 3);
  return out;
}

Cases threads(const KernelInfo& f, Level, uint64_t seed) {
  return {make(f, seed, "random", 1024, {{"i", 0}, {"threads", 4}})};
}

Cases random_data(const KernelInfo& f, Level level, uint64_t seed) {
  Cases out;
  const int64_t many = level == Level::quick ? 2 : level == Level::standard ? 6 : 40;
  for (int64_t k : {256, 2560, 4096, 6912}) {
    for (int64_t i = 0; i < many; ++i) out.push_back(make(f, seed, "random", k, {{"i", i}}));
  }
  also_two_rows(f, out);
  if (dot(f)) {
    for (int64_t k : {8832, 11008, 14336}) out.push_back(make(f, seed, "random", k, {{"i", 0}}));
  }
  if (f.contract.op == Op::from_float) out.push_back(make(f, seed, "smooth", 1024));
  return out;
}

std::vector<Case> of_grid(const KernelInfo& f, std::string_view family, Level level, uint64_t seed) {
  std::vector<Case> out;
  const bool is_dot = f.contract.op == Op::vec_dot;
  const auto add = [&](const char* probe, int64_t k, std::map<std::string, int64_t> params) {
    out.push_back({f.format, f.contract.op, k, 1, probe, seed, std::move(params)});
    if (is_dot && f.nrows > 1 && k > 256) {
      out.push_back(out.back());
      out.back().n = 2;
    }
  };
  if (family == "F15") {
    for (int64_t pos = 0; is_dot && pos < 256; ++pos) add("decode", 256, {{"pos", pos}});
    for (int64_t i = 0; i < (level == Level::quick ? 1 : level == Level::standard ? 3 : 20); ++i) {
      for (int64_t kind = 0; kind < kGridKinds; ++kind) {
        for (int64_t k : {256, 512, 768, 1280, 2304, 4096}) {
          // longer ones would be rounded, with bounds that hide what is looked for
          if (kind != static_cast<int64_t>(GridKind::extreme) || k == 256) add("linear", k, {{"i", i}, {"kind", kind}});
        }
      }
    }
  } else if (family == "F11") {
    for (int64_t off : {2, 4, 6, 8, 12, 16, 30}) {
      add("linear", 512, {{"woff", off}});
      if (is_dot && off % 4 == 0) add("linear", 512, {{"qoff", off}});
      if (off % 4 == 0) add("linear", 512, {{"ooff", off}});
    }
  } else if (family == "F12") {
    out.push_back({f.format, f.contract.op, 1024, 1, "linear", seed, {{"threads", 4}}});
  }
  return out;
}

}  // namespace tritcheck::block_cases
