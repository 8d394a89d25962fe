// What a kernel is: a function and a contract. The contract is what the harness tests.
//
// The signatures are those of plug-ins: include/tritcheck/kernel.h.
//
// To add a kernel, write kernels/<format>/<layout>_<isa>.cpp (all operations), <layout>_<op>_<isa>.cpp or, for a dot
// product of blocks, <activations>_<isa>.cpp, and one line per symbol in kernels/kernels.inc; the build finds the file
// by its name and picks the compiler flags by the <isa> suffix (isa.inc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "include/tritcheck/kernel.h"
#include "kernels/isa.h"
#include "reference/i2_s.h"

namespace tritcheck {

using i2_s::Layout;

/// What one call computes; see tritcheck_dot_fn (dot, rows, acts), tritcheck_gemv_fn (gemv), tritcheck_vec_dot_fn
/// (vec_dot), tritcheck_to_float_fn (to_float: dequantise) and tritcheck_from_float_fn (from_float: quantise). The first
/// four are of I2_S, the others of ggml's formats of blocks.
enum class Op : uint8_t { dot, rows, acts, gemv, vec_dot, to_float, from_float };
inline constexpr Op kOps[] = {Op::dot, Op::rows, Op::acts, Op::gemv, Op::vec_dot, Op::to_float, Op::from_float};
/// raw = sum(code * q); centred = sum((code - 1) * q); scaled = centred with both scales applied, in float.
enum class Result : uint8_t { raw, centred, scaled };

/// Everything caller and kernel must agree on. The defaults are the strictest promise a kernel can give.
struct Contract {
  Op op = Op::dot;
  Layout layout = Layout::x86_128;  ///< of I2_S; means nothing for formats of blocks
  Result result = Result::raw;
  int64_t k_multiple = 128;
  int64_t k_max = int64_t{1} << 20;  ///< largest K for which the result is exact for every legal input
  int64_t row_multiple = 1;          ///< nrc (rows), row0 and nrows (gemv) are multiples of this
  int q_min = -128;                  ///< smallest legal activation
  int max_code = 3;                  ///< largest legal code
  int align_w = 1;                   ///< bytes the start of the weights must be aligned to
  int align_q = 1;
  int align_out = 4;
  int overread_w =
      0;  ///< bytes the kernel may read past the last packed byte (the scale of a gemv tensor is legal input)
  int overread_q = 0;
  bool float_out = false;  ///< dot, rows, acts of a library: the integer result is stored as float32, rounded
};

/// The contract of an I2_S operation on a layout, with the strictest promises.
constexpr Contract i2_s_contract(Op op, Layout layout) {
  Contract c;
  c.op = op;
  c.layout = layout;
  c.result = op == Op::gemv ? Result::scaled : Result::raw;
  c.k_multiple = layout == Layout::x86_128 ? 128 : layout == Layout::arm_64 ? 64 : layout == Layout::linear ? 4 : 1;
  c.row_multiple = layout == Layout::rows_1x4 ? 4 : 1;
  return c;
}

/// The contract of a dot product of ggml's blocks with the activations that ggml pairs them with, with the strictest
/// promises: rows of whole blocks, no more aligned than their structs, every code, and results within ggml::bound() of
/// reference/ggml_dot.h, which is 0 where nothing can round. Throws std::logic_error for a format without an oracle.
Contract vec_dot_contract(std::string_view format);

/// One registry line.
struct Kernel {
  std::string_view name;  ///< also the symbol
  Isa isa = Isa::scalar;
  Via via = Via::absent;
  Contract contract;
  tritcheck_dot_fn* dot = nullptr;          ///< for Op::dot, rows, acts; null if absent
  tritcheck_gemv_fn* gemv = nullptr;        ///< for Op::gemv; null if absent
  tritcheck_vec_dot_fn* vec_dot = nullptr;  ///< for Op::vec_dot, nrc = 1; null if absent
  std::string_view format = "i2_s";         ///< of the weights; for Op::vec_dot by ggml's name: "tq2_0"
  std::string_view acts = "";               ///< for Op::vec_dot: of the activations: "q8_K"
};

/// Every kernel of kernels.inc, absent ones included, in file order.
std::span<const Kernel> kernels();

std::string_view name(Op op);
std::string_view name(Result result);
std::string_view name(Via via);

}  // namespace tritcheck
