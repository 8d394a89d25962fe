#include "engine/fast/plan.h"

#include <algorithm>

namespace tritcheck::engine {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw PlanError("--kernels: " + why);
}

class Planner {
 public:
  Planner(i2_s::Layout layout, const Features& features, const IsaList& allow, std::span<const Kernel> registry)
      : layout_(layout), features_(features), allow_(allow), registry_(registry) {}

  // For one token a matrix-vector product if there is one, for several whatever shares a row between them.
  Plan automatic() const {
    Plan plan;
    plan.one = select(Op::gemv, layout_, features_, allow_, registry_);
    plan.several = select(Op::acts, layout_, features_, allow_, registry_);
    // four interleaved rows have no form for several activations
    if (plan.several == nullptr || (plan.one != nullptr && plan.several->isa < plan.one->isa)) plan.several = plan.one;
    if (plan.one == nullptr) refuse("no kernel for layout " + std::string(i2_s::name(layout_)));
    return plan;
  }

  Plan of_isa(Isa isa) const {
    Plan plan;
    for (const Kernel& k : registry_) {
      if (k.isa != isa || k.contract.layout != layout_ || k.via == Via::absent) continue;
      if (k.contract.op == Op::gemv && plan.one == nullptr) plan.one = &k;
      if (k.contract.op == Op::acts && plan.several == nullptr) plan.several = &k;
    }
    if (plan.several == nullptr) plan.several = plan.one;
    if (plan.one == nullptr) {
      refuse("no " + std::string(name(isa)) + " kernel for layout " + std::string(i2_s::name(layout_)) +
             " in this program; auto takes the best there is");
    }
    check(*plan.one);
    check(*plan.several);
    return plan;
  }

  const Kernel& named(std::string_view word) const {
    const auto found =
        std::find_if(registry_.begin(), registry_.end(), [&](const Kernel& k) { return k.name == word; });
    if (found == registry_.end()) {
      refuse("no kernel is named '" + std::string(word) + "' (`tritcheck list kernels`); or auto, golden, " +
             "an instruction set, or op=NAME");
    }
    if (found->format != "i2_s") refuse(std::string(word) + " is for " + std::string(found->format) + ", not for I2_S");
    check(*found);
    return *found;
  }

 private:
  void check(const Kernel& k) const {
    if (const std::string why = why_not(k, features_); !why.empty()) refuse(std::string(k.name) + ": " + why);
    if (!allowed(k.isa, allow_)) refuse(std::string(k.name) + ": its instruction set is not in the allow-list");
  }

  i2_s::Layout layout_;
  const Features& features_;
  const IsaList& allow_;
  std::span<const Kernel> registry_;
};

// "blk.1" and "ffn_down" are whole parts of "blk.1.ffn_down.weight", and no part of "blk.10...".
bool stands_for(std::string_view part, std::string_view tensor) {
  for (size_t at = tensor.find(part); at != std::string_view::npos; at = tensor.find(part, at + 1)) {
    const size_t end = at + part.size();
    if ((at == 0 || tensor[at - 1] == '.') && (end == tensor.size() || tensor[end] == '.')) return true;
  }
  return false;
}

}  // namespace

void Plan::require_layers(std::span<const std::string_view> tensors) const {
  for (size_t i = 0; i < layers.size(); ++i) {
    const std::string& part = layers[i].first;
    bool found = false;
    for (std::string_view tensor : tensors) {
      if (!stands_for(part, tensor)) continue;
      found = true;
      for (size_t j = 0; j < i; ++j) {
        if (stands_for(layers[j].first, tensor))
          refuse("'" + layers[j].first + "' and '" + part + "' both stand for " + std::string(tensor));
      }
    }
    if (!found) refuse("'" + part + "' stands for no I2_S tensor of this model (`tritcheck inspect` lists them)");
  }
}

const Kernel& Plan::kernel(std::string_view tensor, int64_t tokens) const {
  for (const auto& [part, kernel] : layers) {
    if (stands_for(part, tensor)) return *kernel;
  }
  return tokens == 1 ? *one : *several;
}

std::string Plan::text() const {
  std::string out = one == several ? std::string(one->name)
                                   : "one token " + std::string(one->name) + ", several " + std::string(several->name);
  for (const auto& [part, kernel] : layers) out += "; " + part + " " + std::string(kernel->name);
  return out;
}

Plan plan_kernels(std::string_view text, i2_s::Layout layout, const Features& features, const IsaList& allow,
                  std::span<const Kernel> registry) {
  const Planner planner(layout, features, allow, registry);
  if (text == "auto") return planner.automatic();
  if (const auto isa = isa_of(text)) return planner.of_isa(*isa);
  if (text.find('=') == std::string_view::npos) {
    const Kernel& k = planner.named(text);
    return {&k, &k, {}};
  }
  Plan plan = planner.automatic();
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const size_t equals = item.find('=');
    if (equals == std::string_view::npos) refuse("'" + std::string(item) + "' should be op=NAME");
    const std::string_view op = item.substr(0, equals);
    const Kernel& k = planner.named(item.substr(equals + 1));
    if (op.starts_with("blk.") || op.starts_with("attn_") || op.starts_with("ffn_")) {
      plan.layers.emplace_back(op, &k);
      continue;
    }
    if (name(k.contract.op) != op) {
      refuse(std::string(k.name) + " computes " + std::string(name(k.contract.op)) + ", not " + std::string(op));
    }
    if (k.contract.op != Op::acts) plan.one = &k;
    if (k.contract.op == Op::acts || k.contract.op == Op::dot) plan.several = &k;
  }
  return plan;
}

}  // namespace tritcheck::engine
