// The machinery behind the one-line registries (kernels.inc, the museum's bugs.inc, a stranger's own).
#pragma once

#include "kernels/kernel.h"

// Which instruction sets this program was compiled with: FN_<isa>(symbol) is the symbol or null.
#if defined(__x86_64__)
#define TRITCHECK_FN_ssse3(symbol) &symbol
#define TRITCHECK_FN_avx2(symbol) &symbol
#define TRITCHECK_FN_fma(symbol) &symbol
#else
#define TRITCHECK_FN_ssse3(symbol) nullptr
#define TRITCHECK_FN_avx2(symbol) nullptr
#define TRITCHECK_FN_fma(symbol) nullptr
#endif
#if defined(__aarch64__) || defined(TRITCHECK_SIMDE)
#define TRITCHECK_FN_neon(symbol) &symbol
#define TRITCHECK_FN_dotprod(symbol) &symbol
#else
#define TRITCHECK_FN_neon(symbol) nullptr
#define TRITCHECK_FN_dotprod(symbol) nullptr
#endif
#define TRITCHECK_FN_scalar(symbol) &symbol

namespace tritcheck {

/// How kernels of this instruction set got into this program.
constexpr Via via_of(Isa isa) {
#if defined(__aarch64__)
  return isa == Isa::ssse3 || isa == Isa::avx2 || isa == Isa::fma ? Via::absent : Via::native;
#elif defined(TRITCHECK_SIMDE)
  return isa == Isa::neon || isa == Isa::dotprod ? Via::simde : Via::native;
#else
  return isa == Isa::neon || isa == Isa::dotprod ? Via::absent : Via::native;
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
