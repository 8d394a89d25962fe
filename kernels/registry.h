// The machinery behind the one-line registries (kernels.inc, the museum's bugs.inc, a stranger's own).
#pragma once

#include "kernels/kernel.h"

// The function, or null if its instruction set is not compiled into this program: the symbol is named only where it
// must be defined.
#define TRITCHECK_FN(isa, symbol)                    \
  ([]() -> decltype(&symbol) {                       \
    if constexpr (via_of(Isa::isa) != Via::absent) { \
      return &symbol;                                \
    } else {                                         \
      return nullptr;                                \
    }                                                \
  }())

namespace tritcheck {

/// How kernels of this instruction set got into this program.
constexpr Via via_of(Isa isa) {
  const Arch native = isa_line(isa).native;
  if (native == Arch::any || native == kThisArch) return Via::native;
#if defined(TRITCHECK_SIMDE)
  return isa_line(isa).elsewhere;
#else
  return Via::absent;
#endif
}

constexpr Kernel dot_entry(std::string_view symbol, Isa isa, Contract contract, tritcheck_dot_fn* fn) {
  return {symbol, isa, via_of(isa), contract, fn, nullptr};
}
constexpr Kernel gemv_entry(std::string_view symbol, Isa isa, Contract contract, tritcheck_gemv_fn* fn) {
  return {symbol, isa, via_of(isa), contract, nullptr, fn};
}
/// Contract and activations follow from the format. Throws as vec_dot_contract() does.
Kernel vec_dot_entry(std::string_view symbol, Isa isa, std::string_view format, tritcheck_vec_dot_fn* fn);

}  // namespace tritcheck
