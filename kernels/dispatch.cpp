#include "kernels/dispatch.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace tritcheck {
namespace {

Isa known_isa(std::string_view word) {
  if (const auto isa = isa_of(word)) return *isa;
  std::string known;
  for (Isa isa : kIsas) known += (known.empty() ? "" : ", ") + std::string(name(isa));
  throw std::invalid_argument("unknown instruction set \"" + std::string(word) + "\"; known are " + known);
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

template <class Serves>
const Kernel* strongest(const Features& features, std::span<const Isa> allow, std::span<const Kernel> from,
                        Serves serves) {
  const Kernel* best = nullptr;
  for (const Kernel& kernel : from) {
    if (!serves(kernel) || kernel.via != Via::native) continue;
    if (!supports(features, kernel.isa) || !allowed(kernel.isa, allow)) continue;
    if (best == nullptr || kernel.isa > best->isa) best = &kernel;
  }
  return best;
}

}  // namespace

std::optional<Isa> isa_of(std::string_view word) {
  for (Isa isa : kIsas) {
    if (name(isa) == word) return isa;
  }
  return std::nullopt;
}

IsaList isa_list(std::span<const std::string> names) {
  IsaList list;
  for (const std::string& word : names) list.push_back(known_isa(trimmed(word)));
  return list;
}

IsaList parse_isa_list(std::string_view text) {
  IsaList list;
  if (trimmed(text).empty()) return list;
  for (;;) {
    const size_t comma = text.find(',');
    list.push_back(known_isa(trimmed(text.substr(0, comma))));
    if (comma == std::string_view::npos) return list;
    text.remove_prefix(comma + 1);
  }
}

IsaList isa_from_environment() {
  const char* text = std::getenv("TRITCHECK_ISA");
  if (text == nullptr) return {};
  try {
    return parse_isa_list(text);
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument(std::string("TRITCHECK_ISA: ") + e.what());
  }
}

bool allowed(Isa isa, std::span<const Isa> allow) {
  return isa == Isa::scalar || allow.empty() || std::find(allow.begin(), allow.end(), isa) != allow.end();
}

const Kernel* select(Op op, Layout layout, const Features& features, std::span<const Isa> allow,
                     std::span<const Kernel> from) {
  if (op == Op::vec_dot) return nullptr;
  return strongest(features, allow, from, [op, layout](const Kernel& kernel) {
    return kernel.contract.op == op && kernel.contract.layout == layout;
  });
}

const Kernel* select_vec_dot(std::string_view format, const Features& features, std::span<const Isa> allow,
                             std::span<const Kernel> from) {
  return strongest(features, allow, from, [format](const Kernel& kernel) {
    return kernel.contract.op == Op::vec_dot && kernel.format == format;
  });
}

}  // namespace tritcheck
