// Kernels that misunderstand nrc or a stride.
#include "corpora/bugs/bugs.h"
#include "corpora/bugs/parts.h"

using namespace tritcheck::museum;

// microsoft/BitNet #598, #610: the caller means weight rows, the kernel walks activation rows.
extern "C" void bug_nrc_rows_as_acts(int64_t k, int32_t* out, size_t out_stride, const uint8_t* w, size_t,
                                     const int8_t* q, size_t q_stride, int nrc) {
  for (int i = 0; i < nrc; ++i) *row_at(out, i, out_stride) = dot<32>(k, w, row_at(q, i, q_stride));
}

// The caller means activation rows, the kernel walks weight rows.
extern "C" void bug_nrc_acts_as_rows(int64_t k, int32_t* out, size_t out_stride, const uint8_t* w, size_t w_stride,
                                     const int8_t* q, size_t, int nrc) {
  for (int i = 0; i < nrc; ++i) *row_at(out, i, out_stride) = dot<32>(k, row_at(w, i, w_stride), q);
}

// microsoft/BitNet with ACT_PARALLEL: a multiple of four means activation rows, any other number weight rows.
extern "C" void bug_nrc_multiple_of_4(int64_t k, int32_t* out, size_t out_stride, const uint8_t* w, size_t w_stride,
                                      const int8_t* q, size_t q_stride, int nrc) {
  for (int i = 0; i < nrc; ++i) {
    *row_at(out, i, out_stride) =
        nrc % 4 == 0 ? dot<32>(k, w, row_at(q, i, q_stride)) : dot<32>(k, row_at(w, i, w_stride), q);
  }
}

// The stride counts bytes and is taken for a count of packed words of four.
extern "C" void bug_row_stride_times_4(int64_t k, int32_t* out, size_t out_stride, const uint8_t* w, size_t w_stride,
                                       const int8_t* q, size_t, int nrc) {
  for (int i = 0; i < nrc; ++i) *row_at(out, i, out_stride) = dot<32>(k, row_at(w, i, 4 * w_stride), q);
}

// Weight rows are believed to touch.
extern "C" void bug_row_stride_assumed(int64_t k, int32_t* out, size_t out_stride, const uint8_t* w, size_t,
                                       const int8_t* q, size_t, int nrc) {
  for (int i = 0; i < nrc; ++i) *row_at(out, i, out_stride) = dot<32>(k, w + i * (k / 4), q);
}

// Activation rows are believed to touch.
extern "C" void bug_act_stride_assumed(int64_t k, int32_t* out, size_t out_stride, const uint8_t* w, size_t,
                                       const int8_t* q, size_t, int nrc) {
  for (int i = 0; i < nrc; ++i) *row_at(out, i, out_stride) = dot<32>(k, w, q + i * k);
}

// The activation pointer never moves, so every result is that of row 0.
extern "C" void bug_act_stride_zero(int64_t k, int32_t* out, size_t out_stride, const uint8_t* w, size_t,
                                    const int8_t* q, size_t, int nrc) {
  for (int i = 0; i < nrc; ++i) *row_at(out, i, out_stride) = dot<32>(k, w, q);
}

// microsoft/BitNet PR #521 is a relative: results are stored without regard to the output stride.
extern "C" void bug_out_stride_rows(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t w_stride, const int8_t* q,
                                    size_t, int nrc) {
  for (int i = 0; i < nrc; ++i) out[i] = dot<32>(k, row_at(w, i, w_stride), q);
}

extern "C" void bug_out_stride_acts(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                    size_t q_stride, int nrc) {
  for (int i = 0; i < nrc; ++i) out[i] = dot<32>(k, w, row_at(q, i, q_stride));
}

// ikawrakow/ik_llama.cpp #170 is a relative: four rows at a time, and what is left over is never computed.
extern "C" void bug_rows_leftover_dropped(int64_t k, int32_t* out, size_t out_stride, const uint8_t* w, size_t w_stride,
                                          const int8_t* q, size_t, int nrc) {
  for (int group = 0; group + 4 <= nrc; group += 4) {
    for (int i = group; i < group + 4; ++i) *row_at(out, i, out_stride) = dot<32>(k, row_at(w, i, w_stride), q);
  }
}
