// What single activations do not show: wraps, clamps, lost precision, special scales, rows of two, and quantisers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/foreign/steps.h"
#include "reference/q8_0.h"
#include "reference/q8_1.h"
#include "reference/q8_k.h"

namespace tritcheck::foreign {
namespace {

// The integers behind a product: weights and activations, element by element, and the one scale if all terms share it.
struct Integers {
  std::vector<int64_t> weights;
  std::vector<int64_t> q;
  double scale = 0;
};

std::optional<Integers> integers(const Problem& p) {
  if (p.role != Role::vec_dot || p.n != 1 || !weights_named(p.format)) return std::nullopt;
  const ggml::Type type = *weights_named(p.format);
  const ggml::Acts acts = ggml::acts_of(type);
  const ggml::Dot dot = ggml::dot(type, p.x, p.y);
  Integers out;
  for (const ggml::Term& t : dot.terms) {
    if (t.sum == 0) continue;
    if (out.scale != 0 && t.scale != out.scale) return std::nullopt;
    out.scale = t.scale;
  }
  const size_t bytes = ggml::format(type).bytes;
  for (size_t at = 0; at < p.x.size(); at += bytes) {
    const ggml::Block b = ggml::decode(type, std::span(p.x).subspan(at, bytes));
    out.weights.insert(out.weights.end(), b.weight.begin(), b.weight.end());
  }
  const size_t act_bytes = ggml::format(acts).bytes;
  const size_t first = acts == ggml::Acts::q8_0 ? 2 : 4;
  for (size_t at = 0; at < p.y.size(); at += act_bytes) {
    for (size_t e = 0; e < ggml::format(acts).elements; ++e) {
      out.q.push_back(static_cast<int8_t>(p.y[at + first + e]));
    }
  }
  return out;
}

bool multiple(double x, double of) {
  return x != 0 && std::fabs(std::remainder(x, of)) <= std::fabs(x) * 1e-6 + 1e-9;
}

// Wraps: the residual is a multiple of 2^16 or 2^32 in units of the common scale, in every failure of extreme data.
Found wrapped(std::span<const Failed> failures) {
  for (const double width : {0x1p16, 0x1p32}) {
    int seen = 0;
    bool all = true;
    std::string first;
    for (const Failed& f : failures) {
      if (f.judgement.got.empty() || f.problem().n != 1) continue;
      const double value = f.expected().values[0];
      const double scale = integers(f.problem()).value_or(Integers{}).scale;
      if (!std::isfinite(value) || scale == 0) continue;
      const double off = (f.judgement.got[0] - value) / scale;
      all = all && multiple(off, width);
      if (seen++ == 0)
        first = fmt::format("K = {}: off by {:.0f} times 2^{}", f.problem().k, off / width, width == 0x1p16 ? 16 : 32);
    }
    if (seen > 0 && all) {
      return Diagnosis{width == 0x1p16 ? "int16-overflow" : "int32-overflow",
                       fmt::format("an accumulator of {} bits wraps", width == 0x1p16 ? 16 : 32),
                       {first, fmt::format("the same in {} failing cases of extreme data", seen)}};
    }
  }
  return std::nullopt;
}

// Sums of two neighbours clamped to int16, as maddubs does.
Found clamped(std::span<const Failed> failures) {
  int seen = 0;
  for (const Failed& f : failures) {
    const auto in = integers(f.problem());
    if (!in || in->scale == 0 || f.judgement.got.empty()) return std::nullopt;
    int64_t sum = 0;
    for (size_t j = 0; j + 1 < in->q.size(); j += 2) {
      sum += std::clamp<int64_t>(in->weights[j] * in->q[j] + in->weights[j + 1] * in->q[j + 1], -32768, 32767);
    }
    if (std::fabs(f.judgement.got[0] - static_cast<double>(sum) * in->scale) > 1e-6 * std::fabs(f.judgement.got[0]))
      return std::nullopt;
    ++seen;
  }
  if (seen == 0) return std::nullopt;
  return Diagnosis{"saturation",
                   "sums of two products are clamped to 16 bits",
                   {fmt::format("this reproduces all {} failing cases", seen)}};
}

Found special_scales(std::span<const Failed> failures) {
  const auto only_special = [](const Failed& f) { return f.prepared->spec.probe == "special"; };
  if (!std::all_of(failures.begin(), failures.end(), only_special)) return std::nullopt;
  std::set<int64_t> kinds;
  for (const Failed& f : failures) kinds.insert(f.prepared->spec.param("kind"));
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

// Only roundings: everything exact is right, and what is wrong is nearly right.
Found imprecise(std::span<const Failed> failures) {
  double worst = 0;
  for (const Failed& f : failures) {
    if (f.judgement.got.empty() || f.problem().role != Role::vec_dot) return std::nullopt;
    for (const int32_t i : f.judgement.wrong) {
      const auto at = static_cast<size_t>(i);
      const double off = std::fabs(f.judgement.got[at] - f.expected().values[at]);
      if (!(off < f.expected().unit) || !std::isfinite(off)) return std::nullopt;
      if (f.expected().bounds[at] > 0) worst = std::max(worst, off / f.expected().bounds[at]);
    }
  }
  return Diagnosis{
      "low-precision",
      "results are nearly right, but further off than any order of float32 additions can bring them",
      {worst > 0 ? fmt::format("up to {:.3g} times the bound", worst) : "where every order of additions is exact"}};
}

}  // namespace

Found magnitudes(std::span<const Failed> failures) {
  if (Found d = special_scales(failures)) return d;
  std::vector<Failed> ordinary;
  for (const Failed& f : failures) {
    if (f.prepared->spec.probe != "special" && f.judgement.verdict == Verdict::mismatch) ordinary.push_back(f);
  }
  if (ordinary.empty()) return std::nullopt;
  Found d = wrapped(ordinary);
  if (!d) d = clamped(ordinary);
  if (!d) d = imprecise(ordinary);
  if (d) {
    for (const Failed& f : failures) {
      if (f.prepared == ordinary.front().prepared) d->based_on = static_cast<size_t>(&f - failures.data());
    }
  }
  return d;
}

Found rows_of_two(std::span<const Failed> failures) {
  const auto two = [](const Failed& f) { return f.problem().n == 2 && f.judgement.verdict == Verdict::mismatch; };
  if (!std::all_of(failures.begin(), failures.end(), two)) return std::nullopt;
  const auto only = [&](auto padded) { return std::all_of(failures.begin(), failures.end(), padded); };
  if (only([](const Failed& f) { return f.problem().x_pad != 0; })) {
    return Diagnosis{"row-stride",
                     "the distance between weight rows is not the one the caller gave",
                     {"only padded rows are wrong"}};
  }
  if (only([](const Failed& f) { return f.problem().y_pad != 0; })) {
    return Diagnosis{"act-stride",
                     "the distance between activation rows is not the one the caller gave",
                     {"only padded rows are wrong"}};
  }
  if (only([](const Failed& f) { return f.problem().out_stride != 2; })) {
    return Diagnosis{"out-stride", "results are not stored where they belong", {"only with a stride of its own"}};
  }
  const auto swapped = [](const Failed& f) {
    const auto& e = f.expected();
    const auto& got = f.judgement.got;
    return got.size() == 4 && std::fabs(got[1] - e.values[2]) <= e.bounds[2] &&
           std::fabs(got[2] - e.values[1]) <= e.bounds[1];
  };
  if (only(swapped)) {
    return Diagnosis{"nrc-swapped", "with two rows at a time, results (0, 1) and (1, 0) are exchanged", {}};
  }
  std::set<int32_t> which;
  for (const Failed& f : failures) which.insert(f.judgement.wrong.begin(), f.judgement.wrong.end());
  return Diagnosis{"rows-of-two",
                   "two rows at a time give wrong results where one row is right",
                   {fmt::format("of the four results, those number {} are wrong", fmt::join(which, ", "))}};
}

Found quantiser(std::span<const Failed> failures) {
  const Failed& f = failures.front();
  if (f.judgement.got.empty() || f.judgement.wrong.empty()) return std::nullopt;
  const blocks::Format& format = *format_named(f.problem().format);
  const size_t first_code = f.problem().format == "q8_0" ? 2 : 4;
  const size_t codes_end = first_code + format.elements;
  // whether every wrong byte is a code that is one off, which is what another rule for ties does
  bool only_ties = true;
  bool only_codes = true;
  for (const Failed& one : failures) {
    const auto is_right = [&](size_t at, double v) { return one.expected().rows.front()[at] == v; };
    only_ties = only_ties && one.prepared->spec.probe == "tie";
    for (const int32_t i : one.judgement.wrong) {
      const auto at = static_cast<size_t>(i);
      only_codes = only_codes && at % format.bytes >= first_code && at % format.bytes < codes_end &&
                   !is_right(at, one.judgement.got[at]);
    }
  }
  const auto at = static_cast<size_t>(f.judgement.wrong.front());
  const std::string evidence =
      fmt::format("byte {} of block {}: {:#04x}; a right quantiser writes {:#04x}", at % format.bytes,
                  at / format.bytes, static_cast<int>(f.judgement.got[at]), f.expected().rows.front()[at]);
  if (only_ties && only_codes) {
    return Diagnosis{
        "rounding-rule", "values halfway between two codes are rounded as no known quantiser rounds them", {evidence}};
  }
  return Diagnosis{"quantiser",
                   only_codes ? "codes differ from those of every known quantiser"
                              : "scales or sums differ from those of every known quantiser",
                   {evidence, fmt::format("wrong in {} cases, first K = {}", failures.size(), f.problem().k)}};
}

}  // namespace tritcheck::foreign
