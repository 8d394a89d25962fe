#include "kernels/registry.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "reference/ggml_dot.h"

#define TRITCHECK_DOT(symbol, isa, ...) extern "C" tritcheck_dot_fn symbol;
#define TRITCHECK_GEMV(symbol, isa, ...) extern "C" tritcheck_gemv_fn symbol;
#define TRITCHECK_VEC_DOT(symbol, isa, format) extern "C" tritcheck_vec_dot_fn symbol;
#include "kernels/kernels.inc"
#ifdef TRITCHECK_EXTRA_REGISTRY
#include TRITCHECK_EXTRA_REGISTRY
#endif
#undef TRITCHECK_DOT
#undef TRITCHECK_GEMV
#undef TRITCHECK_VEC_DOT

namespace tritcheck {
namespace {

ggml::Type type_named(std::string_view format) {
  for (const ggml::Type t : ggml::kTypes) {
    if (ggml::format(t).name == format) return t;
  }
  throw std::logic_error("kernels.inc: no oracle for the format " + std::string(format));
}

}  // namespace

Contract vec_dot_contract(std::string_view format) {
  const ggml::Type type = type_named(format);
  const ggml::Acts acts = ggml::acts_of(type);
  Contract c;
  c.op = Op::vec_dot;
  c.result = Result::scaled;
  c.k_multiple = static_cast<int64_t>(std::max(ggml::format(type).elements, ggml::format(acts).elements));
  c.max_code = ggml::traits(type).code_count - 1;
  c.align_w = ggml::traits(type).d ? 2 : 1;
  c.align_q = acts == ggml::Acts::q8_0 ? 2 : 4;
  return c;
}

Kernel vec_dot_entry(std::string_view symbol, Isa isa, std::string_view format, tritcheck_vec_dot_fn* fn) {
  Kernel kernel{symbol, isa, via_of(isa), vec_dot_contract(format)};
  kernel.vec_dot = fn;
  kernel.format = format;
  kernel.acts = ggml::format(ggml::acts_of(type_named(format))).name;
  return kernel;
}

std::span<const Kernel> kernels() {
#define TRITCHECK_DOT(symbol, isa, ...) dot_entry(#symbol, Isa::isa, __VA_ARGS__, TRITCHECK_FN(isa, symbol)),
#define TRITCHECK_GEMV(symbol, isa, ...) gemv_entry(#symbol, Isa::isa, __VA_ARGS__, TRITCHECK_FN(isa, symbol)),
#define TRITCHECK_VEC_DOT(symbol, isa, format) vec_dot_entry(#symbol, Isa::isa, format, TRITCHECK_FN(isa, symbol)),
  static const Kernel list[] = {
#include "kernels/kernels.inc"
#ifdef TRITCHECK_EXTRA_REGISTRY
#include TRITCHECK_EXTRA_REGISTRY
#endif
  };
  return list;
}

std::string_view name(Op op) {
  constexpr std::string_view names[] = {"dot", "rows", "acts", "gemv", "vec_dot", "to_float", "from_float"};
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
