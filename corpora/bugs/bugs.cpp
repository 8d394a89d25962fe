#include "corpora/bugs/bugs.h"

#include "kernels/registry.h"

#define BUG_DOT(symbol, ...) extern "C" tritcheck_dot_fn symbol;
#define BUG_GEMV(symbol, ...) extern "C" tritcheck_gemv_fn symbol;
#include "corpora/bugs/bugs.inc"
#undef BUG_DOT
#undef BUG_GEMV

namespace tritcheck {
namespace {

constexpr Contract kDot = i2_s_contract(Op::dot, Layout::x86_128);
constexpr Contract kDotArm64 = i2_s_contract(Op::dot, Layout::arm_64);
constexpr Contract kRows = i2_s_contract(Op::rows, Layout::x86_128);
constexpr Contract kActs = i2_s_contract(Op::acts, Layout::x86_128);
constexpr Contract kGemv = i2_s_contract(Op::gemv, Layout::x86_128);

// A kernel with a second layout in its code can only be called where that layout is possible too.
constexpr Contract limited(Contract contract, int64_t k_multiple, int64_t row_multiple) {
  contract.k_multiple = k_multiple;
  contract.row_multiple = row_multiple;
  return contract;
}

}  // namespace

std::span<const Bug> bugs() {
#define BUG_DOT(symbol, isa, contract, diagnosis, summary) \
  {dot_entry(#symbol, Isa::isa, contract, TRITCHECK_FN(isa, symbol)), diagnosis, summary},
#define BUG_GEMV(symbol, isa, contract, diagnosis, summary) \
  {gemv_entry(#symbol, Isa::isa, contract, TRITCHECK_FN(isa, symbol)), diagnosis, summary},
  static const Bug list[] = {
#include "corpora/bugs/bugs.inc"
  };
  return list;
}

std::vector<Kernel> kernels_and_bugs() {
  std::vector<Kernel> all(kernels().begin(), kernels().end());
  for (const Bug& bug : bugs()) all.push_back(bug.kernel);
  return all;
}

}  // namespace tritcheck
