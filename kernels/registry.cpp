#include "kernels/registry.h"

#define TRITCHECK_DOT(symbol, isa, ...) extern "C" tritcheck_dot_fn symbol;
#define TRITCHECK_GEMV(symbol, isa, ...) extern "C" tritcheck_gemv_fn symbol;
#include "kernels/kernels.inc"
#ifdef TRITCHECK_EXTRA_REGISTRY
#include TRITCHECK_EXTRA_REGISTRY
#endif
#undef TRITCHECK_DOT
#undef TRITCHECK_GEMV

namespace tritcheck {

std::span<const Kernel> kernels() {
#define TRITCHECK_DOT(symbol, isa, ...) dot_entry(#symbol, Isa::isa, __VA_ARGS__, TRITCHECK_FN_##isa(symbol)),
#define TRITCHECK_GEMV(symbol, isa, ...) gemv_entry(#symbol, Isa::isa, __VA_ARGS__, TRITCHECK_FN_##isa(symbol)),
  static const Kernel list[] = {
#include "kernels/kernels.inc"
#ifdef TRITCHECK_EXTRA_REGISTRY
#include TRITCHECK_EXTRA_REGISTRY
#endif
  };
  return list;
}

std::string_view name(Isa isa) {
  constexpr std::string_view names[] = {"scalar", "ssse3", "avx2", "neon", "dotprod"};
  return names[static_cast<int>(isa)];
}

std::string_view name(Op op) {
  constexpr std::string_view names[] = {"dot", "rows", "acts", "gemv"};
  return names[static_cast<int>(op)];
}

std::string_view name(Result result) {
  constexpr std::string_view names[] = {"raw", "centred", "scaled"};
  return names[static_cast<int>(result)];
}

std::string_view name(Via via) {
  constexpr std::string_view names[] = {"absent", "native", "simde"};
  return names[static_cast<int>(via)];
}

}  // namespace tritcheck
