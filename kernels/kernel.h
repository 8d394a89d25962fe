// What a kernel is: a function and a contract. The contract is what the harness tests.
//
// To add a kernel, write kernels/<format>/<layout>_<isa>.cpp (all operations) or <layout>_<op>_<isa>.cpp, and one line
// per symbol in kernels/kernels.inc; the build finds the file by its name and picks the compiler flags by the <isa>
// suffix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "reference/i2_s.h"

extern "C" {
/// Raw integer dot products R = sum(code * q), codes 0..3 not centred, q int8.
///
/// k          weights per row, a multiple of the contract's k_multiple
/// out        result i goes to out[i * out_stride] (stride in elements), i < nrc
/// w          packed weight rows; row i begins at w + i * w_stride bytes (rows_1x4: group g of four rows at w + g * 4 * w_stride)
/// q          activation rows; row i begins at q + i * q_stride bytes
/// nrc        how many results; the contract's op says of what: rows (many weight rows, one activation row) or
///            acts (one weight row, many activation rows). For op dot it is 1 and all strides are ignored.
typedef void tritcheck_dot_fn(int64_t k, int32_t* out, size_t out_stride, const uint8_t* w, size_t w_stride,
                              const int8_t* q, size_t q_stride, int nrc);

/// Scaled matrix-vector product y[i] = float(R - act_sum) / act_scale * w_scale for rows row0 .. row0 + nrows - 1,
/// with R - act_sum taken in integers. The kernel finds w_scale itself: the fp32 at byte m * k / 4 of the tensor.
///
/// k, m       shape of the whole tensor, m rows of k weights
/// y          y[i] belongs to row row0 + i
/// tensor     first byte of the whole tensor, not of row0
/// q          one activation row of k int8; act_sum is its sum
typedef void tritcheck_gemv_fn(int64_t k, int64_t m, float* y, const uint8_t* tensor, const int8_t* q, float act_scale,
                               int32_t act_sum, int64_t row0, int64_t nrows);
}

namespace tritcheck {

using i2_s::Layout;

/// Instruction sets, weakest first within an architecture.
enum class Isa : uint8_t { scalar, ssse3, avx2, neon, dotprod };
/// What one call computes; see tritcheck_dot_fn (dot, rows, acts) and tritcheck_gemv_fn (gemv).
enum class Op : uint8_t { dot, rows, acts, gemv };
/// raw = sum(code * q); centred = sum((code - 1) * q); scaled = centred with both scales applied, in float.
enum class Result : uint8_t { raw, centred, scaled };

/// Everything caller and kernel must agree on. The defaults are the strictest promise a kernel can give.
struct Contract {
  Op op = Op::dot;
  Layout layout = Layout::x86_128;
  Result result = Result::raw;
  int64_t k_multiple = 128;
  int64_t k_max = int64_t{1} << 20;  ///< largest K for which the result is exact for every legal input
  int64_t row_multiple = 1;          ///< nrc (rows), row0 and nrows (gemv) are multiples of this
  int q_min = -128;                  ///< smallest legal activation
  int max_code = 3;                  ///< largest legal code
  int align_w = 1;                   ///< bytes the start of the weights must be aligned to
  int align_q = 1;
  int align_out = 4;
  int overread_w = 0;  ///< bytes the kernel may read past the last packed byte (the scale of a gemv tensor is legal input)
  int overread_q = 0;
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

/// How the function got into this program.
enum class Via : uint8_t {
  absent,  ///< not compiled here (another architecture's instruction set)
  native,  ///< compiled for this architecture
  simde,   ///< a NEON source compiled through SIMDe on another architecture
};

/// One registry line.
struct Kernel {
  std::string_view name;  ///< also the symbol
  Isa isa = Isa::scalar;
  Via via = Via::absent;
  Contract contract;
  tritcheck_dot_fn* dot = nullptr;    ///< for Op::dot, rows, acts; null if absent
  tritcheck_gemv_fn* gemv = nullptr;  ///< for Op::gemv; null if absent
};

/// Every kernel of kernels.inc, absent ones included, in file order.
std::span<const Kernel> kernels();

std::string_view name(Isa isa);
std::string_view name(Op op);
std::string_view name(Result result);
std::string_view name(Via via);

}  // namespace tritcheck
