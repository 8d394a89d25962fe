// What single activations do not show: wraps, clamps, lost precision, special scales.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "harness/diagnose/blocks/steps.h"
#include "reference/half.h"
#include "reference/q8_k.h"

namespace tritcheck::block_steps {
namespace {

// The integers behind a product, element by element, and the scales of both sides' blocks, stretch by stretch.
struct Integers {
  std::vector<int64_t> weights;
  std::vector<int64_t> q;
  std::vector<double> scales;
};

Integers integers(const Problem& p) {
  const ggml::Type type = *weights_named(p.format);
  const ggml::Acts acts = ggml::acts_of(type);
  Integers out;
  std::vector<double> d;
  const size_t bytes = ggml::format(type).bytes;
  for (size_t at = 0; at < p.x.size(); at += bytes) {
    const ggml::Block b = ggml::decode(type, std::span(p.x).subspan(at, bytes));
    out.weights.insert(out.weights.end(), b.weight.begin(), b.weight.end());
    d.push_back(b.d);
  }
  const size_t act_bytes = ggml::format(acts).bytes;
  const size_t act_elements = ggml::format(acts).elements;
  const size_t first = acts == ggml::Acts::q8_0 ? 2 : 4;
  for (size_t at = 0; at < p.y.size(); at += act_bytes) {
    const std::span<const uint8_t> block = std::span(p.y).subspan(at, act_bytes);
    const double d_y =
        acts == ggml::Acts::q8_k ? double{q8_k::unpack(block).d} : f16::to_float(blocks::load_u16(block, 0));
    out.scales.push_back(d[out.q.size() / ggml::format(type).elements] * d_y);
    for (size_t e = 0; e < act_elements; ++e) out.q.push_back(static_cast<int8_t>(block[first + e]));
  }
  return out;
}

// The scale of all terms of a product if they share one; else 0.
double common_scale(const Problem& p) {
  if (p.op != Op::vec_dot || p.n != 1) return 0;
  double scale = 0;
  for (const ggml::Term& t : ggml::dot(*weights_named(p.format), p.x, p.y).terms) {
    if (t.sum == 0) continue;
    if (scale != 0 && t.scale != scale) return 0;
    scale = t.scale;
  }
  return scale;
}

bool multiple(double x, double of) {
  return x != 0 && std::fabs(std::remainder(x, of)) <= std::fabs(x) * 1e-6 + 1e-9;
}

// Wraps: the residual is a multiple of 2^16 or 2^32 in units of the common scale, in every failure of extreme data.
Found wrapped(std::span<const Failed> failures) {
  for (const int bits : {32, 16}) {
    const double width = std::ldexp(1.0, bits);
    int seen = 0;
    bool all = true;
    std::string first;
    for (const Failed& f : failures) {
      if (f.judgement.got.empty() || f.problem().n != 1) continue;
      const double value = f.expected().values[0];
      const double scale = common_scale(f.problem());
      if (!std::isfinite(value) || scale == 0) continue;
      const double off = (f.judgement.got[0] - value) / scale;
      all = all && multiple(off, width);
      if (seen++ == 0) first = fmt::format("K = {}: off by {:.0f} times 2^{}", f.problem().k, off / width, bits);
    }
    if (seen > 0 && all) {
      return Diagnosis{
          bits == 16 ? "int16-overflow" : "int32-overflow",
          fmt::format("an accumulator of {} bits wraps", bits),
          {first, fmt::format("the same in all {} failing cases in which all terms have one scale", seen)}};
    }
  }
  return std::nullopt;
}

// Ways to bring a product to a multiply-add of unsigned by signed bytes, whose sums of two are clamped to int16: what
// is added to make an operand unsigned, and taken off again afterwards.
struct Clamp {
  const char* how;
  int add_to_weight;
  int add_to_q;
};
constexpr Clamp kClamps[] = {
    {"as they are", 0, 0}, {"with 128 added to the activations", 0, 128}, {"with 128 added to the weights", 128, 0}};

// What such a kernel answers; nothing for formats whose weights are scaled before they are summed.
std::optional<double> answer_of(const Clamp& clamp, const Problem& p) {
  const ggml::Type type = *weights_named(p.format);
  if (p.op != Op::vec_dot || p.n != 1 || ggml::traits(type).scales > 1 || ggml::traits(type).minima > 0)
    return std::nullopt;
  const Integers in = integers(p);
  const size_t length = std::min(ggml::format(type).elements, ggml::format(ggml::acts_of(type)).elements);
  double total = 0;
  for (const ggml::Term& t : ggml::dot(type, p.x, p.y).terms) total += t.scale * static_cast<double>(t.sum);
  // only what the clamps change, stretch by stretch
  for (size_t from = 0; from < in.q.size(); from += length) {
    int64_t change = 0;
    for (size_t j = from; j < from + length; j += 2) {
      const auto product = [&](size_t i) { return (in.weights[i] + clamp.add_to_weight) * (in.q[i] + clamp.add_to_q); };
      const int64_t pair = product(j) + product(j + 1);
      change += std::clamp<int64_t>(pair, -32768, 32767) - pair;
    }
    total += in.scales[from / length] * static_cast<double>(change);
  }
  return total;
}

Found clamped(std::span<const Failed> failures) {
  for (const Clamp& clamp : kClamps) {
    int seen = 0;
    for (const Failed& f : failures) {
      const auto answer = answer_of(clamp, f.problem());
      if (!answer || f.judgement.got.empty()) break;
      if (!(std::fabs(f.judgement.got[0] - *answer) <= f.expected().bounds[0] + 1e-6 * std::fabs(*answer))) break;
      ++seen;
    }
    if (seen == 0 || static_cast<size_t>(seen) < failures.size()) continue;
    return Diagnosis{"saturation",
                     "sums of two products are clamped to 16 bits",
                     {fmt::format("clamping the products of neighbours {} gives the answers of all {} failing cases",
                                  clamp.how, seen)}};
  }
  return std::nullopt;
}

// The answers without those blocks of activations whose sum is zero, or 0 for rows whose sum is.
Found zero_sums(std::span<const Failed> failures) {
  for (const bool rows : {true, false}) {
    int seen = 0;
    for (const Failed& f : failures) {
      if (f.problem().op != Op::vec_dot || f.problem().n != 1 || f.judgement.got.empty()) break;
      const ggml::Type type = *weights_named(f.problem().format);
      const Integers in = integers(f.problem());
      const size_t length = ggml::format(ggml::acts_of(type)).elements;
      const auto sum = [&](size_t from, size_t to) {
        return std::accumulate(in.q.begin() + static_cast<ptrdiff_t>(from), in.q.begin() + static_cast<ptrdiff_t>(to),
                               int64_t{0});
      };
      double skipped = 0;
      for (size_t from = 0; from < in.q.size(); from += length) {
        if (rows ? sum(0, in.q.size()) != 0 : sum(from, from + length) != 0) continue;
        int64_t products = 0;
        for (size_t j = from; j < from + length; ++j) products += in.weights[j] * in.q[j];
        skipped += in.scales[from / length] * static_cast<double>(products);
      }
      const double answer = f.expected().values[0] - skipped;
      if (skipped == 0 ||
          !(std::fabs(f.judgement.got[0] - answer) <= f.expected().bounds[0] + 1e-6 * std::fabs(answer)))
        break;
      ++seen;
    }
    if (seen == 0 || static_cast<size_t>(seen) < failures.size()) continue;
    return Diagnosis{"zero-shortcut",
                     fmt::format("{} whose activations sum to zero are taken to be zero", rows ? "rows" : "blocks"),
                     {fmt::format("this gives the answers of all {} failing cases", seen)}};
  }
  return std::nullopt;
}

Found special_scales(std::span<const Failed> failures) {
  const auto only_special = [](const Failed& f) { return f.spec().probe == "special"; };
  if (!std::all_of(failures.begin(), failures.end(), only_special)) return std::nullopt;
  std::set<int64_t> kinds;
  for (const Failed& f : failures) kinds.insert(f.spec().param("kind"));
  const auto within = [&](std::set<int64_t> these) {
    return std::includes(these.begin(), these.end(), kinds.begin(), kinds.end());
  };
  const std::string which = fmt::format("probe special, kinds {}", fmt::join(kinds, ", "));
  if (within({8, 9, 10})) {
    return Diagnosis{"nan-lost", "scales that are infinite or NaN give finite results", {which}};
  }
  if (within({3, 4, 5, 11, 14})) {
    return Diagnosis{"denormals", "denormal scales are taken for others, or for zero", {which}};
  }
  return Diagnosis{"special-scale", "scales that are zero, negative, tiny or huge give wrong results", {which}};
}

// Only roundings: short rows are wrong by less than anything that could be missing, long ones by less than sums of
// eleven bits explain. Where those would be beyond what fp16 holds, they may be infinite.
Found imprecise(std::span<const Failed> failures) {
  constexpr double kHalf = 0x1p-11;
  constexpr double kLargestHalf = 65504;
  constexpr double kFewBlocks = 8;
  double worst = 0;
  bool exact_wrong = false;
  int small = 0;
  int infinite = 0;
  for (const Failed& f : failures) {
    if (f.judgement.got.empty() || f.problem().op != Op::vec_dot || f.problem().n != 1) continue;
    const ggml::Dot dot = ggml::dot(*weights_named(f.problem().format), f.problem().x, f.problem().y);
    const double bound = f.expected().bounds[0];
    const double got = f.judgement.got[0];
    if (!std::isfinite(got)) {
      if (dot.magnitude < kLargestHalf) return std::nullopt;
      ++infinite;
      continue;
    }
    const double off = std::fabs(got - f.expected().values[0]);
    const double additions = static_cast<double>(f.problem().x.size() / *block_bytes(f.problem().format));
    if (off > additions * kHalf * dot.magnitude) return std::nullopt;
    small += additions <= kFewBlocks && off < f.expected().unit;
    exact_wrong = exact_wrong || bound == 0;
    if (bound > 0) worst = std::max(worst, off / bound);
  }
  if (small == 0) return std::nullopt;
  std::vector<std::string> evidence;
  if (worst > 0) evidence.push_back(fmt::format("up to {:.3g} times the bound", worst));
  if (exact_wrong) evidence.push_back("wrong also where every order of additions is exact");
  if (infinite > 0) evidence.push_back(fmt::format("not finite in {} cases whose sums are beyond fp16", infinite));
  return Diagnosis{"low-precision",
                   "results are nearly right, but further off than any order of float32 additions can bring them",
                   evidence};
}

}  // namespace

Found magnitudes(std::span<const Failed> failures) {
  if (Found d = special_scales(failures)) return d;
  std::vector<Failed> ordinary;
  for (const Failed& f : failures) {
    if (f.spec().probe != "special" && f.judgement.verdict == Verdict::mismatch) ordinary.push_back(f);
  }
  if (ordinary.empty()) return std::nullopt;
  Found d = wrapped(ordinary);
  if (!d) d = clamped(ordinary);
  if (!d) d = zero_sums(ordinary);
  if (!d) d = imprecise(ordinary);
  if (d) {
    for (const Failed& f : failures) {
      if (f.prepared == ordinary.front().prepared) d->based_on = static_cast<size_t>(&f - failures.data());
    }
  }
  return d;
}

}  // namespace tritcheck::block_steps
