#include "corpora/bugs/bugs.h"

#include "kernels/registry.h"

#define BUG_DOT(symbol, ...) extern "C" tritcheck_dot_fn symbol;
#define BUG_GEMV(symbol, ...) extern "C" tritcheck_gemv_fn symbol;
#include "corpora/bugs/bugs.inc"
#undef BUG_DOT
#undef BUG_GEMV

namespace tritcheck {

std::span<const Bug> bugs() {
#define BUG_DOT(symbol, isa, contract, diagnosis, summary) \
  {dot_entry(#symbol, Isa::isa, contract, TRITCHECK_FN_##isa(symbol)), diagnosis, summary},
#define BUG_GEMV(symbol, isa, contract, diagnosis, summary) \
  {gemv_entry(#symbol, Isa::isa, contract, TRITCHECK_FN_##isa(symbol)), diagnosis, summary},
  static const Bug list[] = {
#include "corpora/bugs/bugs.inc"
  };
  return list;
}

}  // namespace tritcheck
