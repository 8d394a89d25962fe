// Quantisers: how they round, and what else they write beside the codes.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "harness/diagnose/blocks/steps.h"
#include "reference/half.h"
#include "reference/rounding.h"

namespace tritcheck::block_steps {
namespace {

// A way to make a whole number of x * (1 / d).
struct Rule {
  const char* name;
  const char* sentence;
  float (*round)(float);
};
// Those of halves first: where only halves are wrong, more rules than one give them.
constexpr Rule kRules[] = {
    {"rounding-rule", "values halfway between two codes are rounded up, negative ones too",
     [](float v) { return v - std::floor(v) >= 0.5F ? std::floor(v) + 1 : std::floor(v); }},
    {"rounding-rule", "values halfway between two codes are rounded down, positive ones too",
     [](float v) { return v - std::floor(v) > 0.5F ? std::floor(v) + 1 : std::floor(v); }},
    {"rounding-rule", "values halfway between two codes are rounded towards zero",
     [](float v) { return std::copysign(std::ceil(std::fabs(v) - 0.5F), v); }},
    {"rounding-rule", "values halfway between two codes are rounded away from zero",
     [](float v) { return std::round(v); }},
    {"rounding-rule", "values halfway between two codes are rounded to the even one",
     [](float v) { return static_cast<float>(rounding::half_even(v)); }},
    {"quantiser", "codes are cut off towards zero, not rounded", [](float v) { return std::trunc(v); }},
    {"quantiser", "codes are rounded down, all of them", [](float v) { return std::floor(v); }},
    {"quantiser", "codes are rounded up, all of them", [](float v) { return std::ceil(v); }},
};

// A row of q8_0, q8_1 or q8_K in parts.
struct Layout {
  size_t first_code = 0;
  size_t elements = 0;
  size_t bytes = 0;
  bool k = false;  // q8_K
};

std::optional<Layout> layout_of(const std::string& name) {
  const auto acts = acts_named(name);
  if (!acts) return std::nullopt;
  const blocks::Format& f = ggml::format(*acts);
  return Layout{*acts == ggml::Acts::q8_0 ? size_t{2} : size_t{4}, f.elements, f.bytes, *acts == ggml::Acts::q8_k};
}

// The factor from numbers to codes, in the two ways that are in use (of q8_K there is one).
float factor(std::span<const float> x, bool k, bool divided) {
  float max = 0;
  for (const float v : x) {
    if (std::fabs(v) > std::fabs(max)) max = v;
  }
  if (max == 0) return 0;
  if (k) return -127.0F / max;
  return divided ? 127.0F / std::fabs(max) : 1.0F / (std::fabs(max) / 127.0F);
}

// Whether the rule gives every code of this row.
bool gives(const Rule& rule, bool divided, const Layout& l, const Failed& f) {
  std::vector<float> x(f.problem().x.size() / sizeof(float));
  std::memcpy(x.data(), f.problem().x.data(), f.problem().x.size());
  for (size_t e = 0; e < x.size(); ++e) {
    const size_t block = e / l.elements;
    const float id = factor(std::span(x).subspan(block * l.elements, l.elements), l.k, divided);
    const float code = std::min(127.0F, rule.round(x[e] * id));
    const size_t at = block * l.bytes + l.first_code + e % l.elements;
    if (static_cast<float>(static_cast<int8_t>(static_cast<uint8_t>(f.judgement.got[at]))) != code) return false;
  }
  return true;
}

Found rule_of(const Layout& l, std::span<const Failed> failures) {
  for (const Rule& rule : kRules) {
    for (const bool divided : {false, true}) {
      const auto fits = [&](const Failed& f) { return gives(rule, divided, l, f); };
      if (!std::all_of(failures.begin(), failures.end(), fits)) continue;
      return Diagnosis{rule.name,
                       rule.sentence,
                       {fmt::format("so rounded, x * {} gives every code of all {} failing cases",
                                    l.k       ? "(-127 / max)"
                                    : divided ? "(127 / max |x|)"
                                              : "(1 / d)",
                                    failures.size())}};
    }
  }
  return std::nullopt;
}

// What a part of a block holds, for people: "d of block 0: 0.5; a right quantiser writes 0.25".
std::string part_of(const Layout& l, const Failed& f, size_t at) {
  const size_t block = at / l.bytes;
  const size_t in = at % l.bytes;
  const auto& right = f.expected().rows.front();
  const auto number = [&](auto byte) -> std::string {
    const auto u16 = [&](size_t from) {
      return static_cast<uint16_t>(byte(from) | static_cast<unsigned>(byte(from + 1)) << 8);
    };
    const size_t start = block * l.bytes;
    if (in >= l.first_code && in < l.first_code + l.elements) return std::to_string(static_cast<int8_t>(byte(at)));
    if (in >= l.first_code + l.elements) return std::to_string(static_cast<int16_t>(u16(at - in % 2)));
    if (!l.k) return fmt::format("{:.6g}", f16::to_float(u16(start + in / 2 * 2)));
    return fmt::format("{:.6g}", std::bit_cast<float>(static_cast<uint32_t>(u16(start)) |
                                                      static_cast<uint32_t>(u16(start + 2)) << 16));
  };
  const std::string name = in < l.first_code ? (l.k || in < 2 ? "d" : "s")
                           : in < l.first_code + l.elements
                               ? fmt::format("code {}", in - l.first_code)
                               : fmt::format("sum {}", (in - l.first_code - l.elements) / 2);
  return fmt::format("{} of block {}: {}; a right quantiser writes {}", name, block,
                     number([&](size_t i) { return static_cast<uint8_t>(f.judgement.got[i]); }),
                     number([&](size_t i) { return right[i]; }));
}

}  // namespace

Found quantiser(std::span<const Failed> failures) {
  const Failed& f = failures.front();
  if (f.judgement.got.empty() || f.judgement.wrong.empty()) return std::nullopt;
  const auto layout = layout_of(f.problem().format);
  bool only_ties = true;
  bool codes = false;
  bool others = false;
  for (const Failed& one : failures) {
    only_ties = only_ties && one.spec().probe == "tie";
    for (const int32_t i : one.judgement.wrong) {
      if (!layout) continue;
      const size_t in = static_cast<size_t>(i) % layout->bytes;
      (in >= layout->first_code && in < layout->first_code + layout->elements ? codes : others) = true;
    }
  }
  const auto at = static_cast<size_t>(f.judgement.wrong.front());
  const size_t bytes = format_named(f.problem().format)->bytes;
  std::vector<std::string> evidence = {
      layout ? part_of(*layout, f, at)
             : fmt::format("byte {} of block {}: {:#04x}; a right quantiser writes {:#04x}", at % bytes, at / bytes,
                           static_cast<int>(f.judgement.got[at]), f.expected().rows.front()[at]),
      fmt::format("wrong in {} cases, first K = {}", failures.size(), f.problem().k)};
  if (layout && codes) {
    if (Found d = rule_of(*layout, failures)) {
      d->evidence.insert(d->evidence.end(), evidence.begin(), evidence.end());
      return d;
    }
  }
  if (only_ties && !others) {
    return Diagnosis{"rounding-rule", "values halfway between two codes are rounded as no known quantiser rounds them",
                     evidence};
  }
  return Diagnosis{"quantiser",
                   !layout  ? "blocks differ from those of every known quantiser"
                   : others ? codes ? "scales or sums, and codes, differ from those of every known quantiser"
                                    : "scales or sums differ from those of every known quantiser"
                            : "codes differ from those of every known quantiser",
                   evidence};
}

}  // namespace tritcheck::block_steps
