#include "harness/cases/formats.h"

#include <algorithm>

#include "harness/cases/grids.h"
#include "harness/cases/plain.h"
#include "reference/ggml_quantize.h"
#include "reference/q8_k.h"

namespace tritcheck {
namespace {

constexpr ggml::Acts kActs[] = {ggml::Acts::q8_0, ggml::Acts::q8_1, ggml::Acts::q8_k};

}  // namespace

const std::vector<VecDotPair>& vec_dot_pairs() {
  static const std::vector<VecDotPair> all = [] {
    std::vector<VecDotPair> out;
    for (const ggml::Type t : ggml::kTypes) {
      out.push_back({std::string(ggml::format(t).name), std::string(ggml::format(ggml::acts_of(t)).name)});
    }
    return out;
  }();
  return all;
}

const std::vector<std::string>& act_formats() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out;
    for (const ggml::Acts a : kActs) out.emplace_back(ggml::format(a).name);
    return out;
  }();
  return all;
}

std::optional<ggml::Type> weights_named(std::string_view name) {
  for (const ggml::Type t : ggml::kTypes) {
    if (ggml::format(t).name == name) return t;
  }
  return std::nullopt;
}

std::optional<ggml::Acts> acts_named(std::string_view name) {
  for (const ggml::Acts a : kActs) {
    if (ggml::format(a).name == name) return a;
  }
  return std::nullopt;
}

const blocks::Format* format_named(std::string_view name) {
  static constexpr blocks::Format kPlain[] = {{"f32", 1, 4}, {"f16", 1, 2}, {"bf16", 1, 2}};
  if (const auto p = plain_named(name)) return &kPlain[static_cast<size_t>(*p)];
  if (const auto t = weights_named(name)) return &ggml::format(*t);
  if (const auto a = acts_named(name)) return &ggml::format(*a);
  return grid_named(name);
}

std::optional<size_t> block_bytes(std::string_view name) {
  const blocks::Format* f = format_named(name);
  return f == nullptr ? std::nullopt : std::optional(f->bytes);
}

int alignment(std::string_view name) {
  if (const auto type = weights_named(name); type && !ggml::traits(*type).d) return 1;
  return name == "q8_K" || name == "q8_1" || name == "f32" ? 4 : 2;
}

Contract contract_of(const KernelInfo& f) {
  if (f.role == Role::i2_dot) return i2_s_contract(Op::dot, Layout::x86_128);
  Contract c;
  c.op = f.contract.op;
  c.result = Result::scaled;
  const blocks::Format* weights = format_named(f.format);
  const blocks::Format* acts = format_named(f.acts);
  c.k_multiple = 1;
  if (weights != nullptr) c.k_multiple = static_cast<int64_t>(weights->elements);
  if (acts != nullptr) c.k_multiple = std::max(c.k_multiple, static_cast<int64_t>(acts->elements));
  c.q_min = -127;
  c.align_w = f.contract.op == Op::from_float ? 4 : alignment(f.format);
  c.align_q = f.acts.empty() ? 1 : alignment(f.acts);
  return c;
}

std::string why_no_oracle(const KernelInfo& f) {
  if (f.role != Role::function || f.of_i2_s()) return "";
  if (plain_named(f.format)) {
    return f.contract.op != Op::vec_dot || f.acts == f.format ? "" : "no oracle for " + f.format + " against " + f.acts;
  }
  const bool grid = grid_named(f.format) != nullptr;
  const std::string none = "no oracle for " + f.format;
  if (f.contract.op == Op::from_float) {
    const auto type = weights_named(f.format);
    if (acts_named(f.format) || (type && ggml::has_formula(*type))) return "";
    return grid   ? none + ": its values come from a lookup grid"
           : type ? none + " as a quantiser: its rule is a search"
                  : none;
  }
  if (grid) return none + ": its values come from a lookup grid";
  const auto type = weights_named(f.format);
  if (f.contract.op == Op::to_float && type) return "";
  if (!type) return none;
  const std::string_view acts = ggml::format(ggml::acts_of(*type)).name;
  if (f.acts != acts) return none + " against " + f.acts + " (known against " + std::string(acts) + ")";
  return "";
}

bool has_relations(const KernelInfo& f) {
  return grid_named(f.format) != nullptr &&
         (f.contract.op == Op::to_float || (f.contract.op == Op::vec_dot && f.acts == q8_k::kFormat.name));
}

std::string why_not_verified(const KernelInfo& f) {
  return has_relations(f) ? "" : why_no_oracle(f);
}

const std::vector<std::string>& block_formats() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out = {"f32", "f16", "bf16"};
    for (const VecDotPair& p : vec_dot_pairs()) out.push_back(p.weights);
    for (const std::string& acts : act_formats()) {
      if (std::ranges::find(out, acts) == out.end()) out.push_back(acts);
    }
    for (const std::string& grid : grid_names()) out.push_back(grid);
    return out;
  }();
  return all;
}

std::string acts_beside(std::string_view format) {
  if (const auto type = weights_named(format)) return std::string(ggml::format(ggml::acts_of(*type)).name);
  if (plain_named(format)) return std::string(format);
  return grid_named(format) != nullptr ? std::string(q8_k::kFormat.name) : "";
}

}  // namespace tritcheck
