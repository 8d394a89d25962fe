/* Kernels as plug-ins: a shared library that exports one function, tritcheck_plugin(), which names its kernels and
 * states their contracts. `tritcheck verify --lib libmine.so` tests them. Plain C, no dependency.
 *
 *   static const tritcheck_kernel kernels[] = {{
 *     .name = "my_tq2_0_dot_avx2", .format = "tq2_0", .op = "vec_dot", .needs = "avx2",
 *     .function = (tritcheck_function*)my_tq2_0_dot_avx2,
 *   }};
 *   const tritcheck_plugin_info* tritcheck_plugin(void) {
 *     static const tritcheck_plugin_info info = TRITCHECK_PLUGIN_INFO("mine 1.0", kernels);
 *     return &info;
 *   }
 *
 * docs/plugins.md explains; docs/plugin-template is a project to copy. */
#ifndef TRITCHECK_KERNEL_H
#define TRITCHECK_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes when a plug-in built for another version cannot be used. Fields are only ever added at the end of
 * tritcheck_kernel, and that does not change it. */
#define TRITCHECK_ABI_VERSION 1

/* ---- signatures ------------------------------------------------------------------------------------------------ */

/* Format "i2_s", ops "dot", "rows", "acts": raw integer dot products R = sum(code * q), codes 0..3 not centred, q int8.
 *
 * k          weights per row, a multiple of the contract's k_multiple
 * out        result i goes to out[i * out_stride] (stride in elements), i < nrc
 * w          packed weight rows; row i begins at w + i * w_stride bytes (rows_1x4: group g of four rows at w + g * 4 *
 *            w_stride)
 * q          activation rows; row i begins at q + i * q_stride bytes
 * nrc        how many results; the op says of what: rows (many weight rows, one activation row) or acts (one weight
 *            row, many activation rows). For op dot it is 1 and all strides are ignored. */
typedef void tritcheck_dot_fn(int64_t k, int32_t* out, size_t out_stride, const uint8_t* w, size_t w_stride,
                              const int8_t* q, size_t q_stride, int nrc);

/* Format "i2_s", op "gemv": scaled matrix-vector product y[i] = float(R - act_sum) / act_scale * w_scale for rows row0
 * .. row0 + nrows - 1, with R - act_sum taken in integers. The kernel finds w_scale itself: the fp32 at byte m * k / 4
 * of the tensor.
 *
 * k, m       shape of the whole tensor, m rows of k weights
 * y          y[i] belongs to row row0 + i
 * tensor     first byte of the whole tensor, not of row0
 * q          one activation row of k int8; act_sum is its sum */
typedef void tritcheck_gemv_fn(int64_t k, int64_t m, float* y, const uint8_t* tensor, const int8_t* q, float act_scale,
                               int32_t act_sum, int64_t row0, int64_t nrows);

/* ggml's formats of blocks, op "vec_dot": the dot product as ggml's libraries have it. Result (i, j) is the product of
 * weight row i and activation row j, all scales applied, and goes to s[i + j * bs]; i and j run to nrc, which is 1 or 2.
 *
 * n       elements of a row
 * s, bs   results; bs in elements
 * vx, bx  weight rows, bx bytes apart
 * vy, by  activation rows, by bytes apart. For nrc = 1 all strides are ignored. */
typedef void tritcheck_vec_dot_fn(int n, float* s, size_t bs, const void* vx, size_t bx, const void* vy, size_t by,
                                  int nrc);

/* Ops "to_float" and "from_float": a row of k elements from blocks to floats, and from floats to blocks. */
typedef void tritcheck_to_float_fn(const void* x, float* y, int64_t k);
typedef void tritcheck_from_float_fn(const float* x, void* y, int64_t k);

/* Any of the above; cast to it. */
typedef void tritcheck_function(void);

/* ---- the contract ---------------------------------------------------------------------------------------------- */

/* What caller and kernel must agree on. 0 or NULL stand for the strictest promise, or what the format implies. */
typedef struct tritcheck_kernel {
  const char* name;   /* unique in the plug-in; letters, digits, _ and . */
  const char* format; /* "i2_s", or ggml's name of the weights' blocks: "tq2_0", "q4_K", ...; quantisers: "q8_0", ... */
  const char* op;     /* "vec_dot", "to_float", "from_float"; for i2_s "dot", "rows", "acts", "gemv" */
  const char* layout; /* i2_s: "x86_128", "arm_64", "rows_1x4", "linear" */
  const char* result; /* i2_s dot, rows, acts: "raw" (NULL too) or "centred" = sum((code - 1) * q) */
  const char* needs;  /* CPU features: "avx2 fma", "AVX512_VNNI", "asimddp+i8mm"; NULL: none. Without them it is skipped */
  tritcheck_function* function;

  int64_t k_multiple;   /* 0: the block of the format */
  int64_t k_max;        /* i2_s: largest K for which results are exact for every legal input; 0: 2^20 */
  int64_t row_multiple; /* i2_s: nrc, row0 and nrows are multiples of this; 0: 1, or 4 for rows_1x4 */
  int32_t nrows;        /* vec_dot: the largest nrc; 0: 1 */
  int32_t q_min;        /* i2_s: smallest legal activation; 0: -128 */
  int32_t max_code;     /* i2_s: largest legal code; 0: 3 */
  int32_t align_w;      /* bytes the start of the weights must be aligned to; 0: what the blocks demand */
  int32_t align_q;      /* the activations */
  int32_t align_out;    /* the output; 0: 4 */
  int32_t overread_w;   /* bytes the kernel may read past the last byte of the weights, up to 4096 */
  int32_t overread_q;

  /* For collections of broken kernels, which test tritcheck: the diagnosis it must give, and what was broken. */
  const char* diagnosis;
  const char* summary;
} tritcheck_kernel;

typedef struct tritcheck_plugin_info {
  uint32_t abi_version; /* TRITCHECK_ABI_VERSION of the header it was compiled with */
  uint32_t kernel_size; /* sizeof(tritcheck_kernel) there */
  uint64_t count;
  const tritcheck_kernel* kernels;
  const char* version; /* of the plug-in, for people; may be NULL */
} tritcheck_plugin_info;

#define TRITCHECK_PLUGIN_INFO(version, array) \
  { TRITCHECK_ABI_VERSION, sizeof(tritcheck_kernel), sizeof(array) / sizeof((array)[0]), (array), (version) }

#if defined(_WIN32)
#define TRITCHECK_EXPORT __declspec(dllexport)
#else
#define TRITCHECK_EXPORT __attribute__((visibility("default")))
#endif

/* The one function a plug-in exports. What it returns must stay as it is until the process ends. */
TRITCHECK_EXPORT const tritcheck_plugin_info* tritcheck_plugin(void);

#ifdef __cplusplus
}
#endif

#endif
