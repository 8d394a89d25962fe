// Scaled products with a wrong offset or a wrong scale.
#include "corpora/bugs/bugs.h"
#include "corpora/bugs/parts.h"

using namespace tritcheck::museum;

namespace {

// y[i] = finish(row, raw sum of that row) for every row asked for.
template <class Finish>
void each_row(int64_t k, float* y, const uint8_t* tensor, const int8_t* q, int64_t row0, int64_t nrows, Finish finish) {
  for (int64_t i = 0; i < nrows; ++i) y[i] = finish(row0 + i, dot<32>(k, tensor + (row0 + i) * (k / 4), q));
}

float weight_scale(int64_t k, int64_t m, const uint8_t* tensor) {
  return float_at(tensor + m * (k / 4));
}

}  // namespace

// microsoft/BitNet #600, #610: the kernel centres its sum, and so does the caller, who was promised the raw one.
extern "C" void bug_offset_centred_dot(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                       size_t, int) {
  out[0] = dot<32>(k, w, q) - sum_of(k, q);
}

extern "C" void bug_offset_twice_gemv(int64_t k, int64_t m, float* y, const uint8_t* tensor, const int8_t* q,
                                      float act_scale, int32_t act_sum, int64_t row0, int64_t nrows) {
  each_row(k, y, tensor, q, row0, nrows, [=](int64_t, int32_t raw) {
    const int32_t centred = raw - act_sum;
    return static_cast<float>(centred - act_sum) / act_scale * weight_scale(k, m, tensor);
  });
}

// ggml-org/llama.cpp #1117 is a relative: the sum that corrects the offset is not subtracted.
extern "C" void bug_offset_never_gemv(int64_t k, int64_t m, float* y, const uint8_t* tensor, const int8_t* q,
                                      float act_scale, int32_t, int64_t row0, int64_t nrows) {
  each_row(k, y, tensor, q, row0, nrows,
           [=](int64_t, int32_t raw) { return static_cast<float>(raw) / act_scale * weight_scale(k, m, tensor); });
}

// microsoft/BitNet PR #469: the scale is sought behind the row, where the next row's codes are.
extern "C" void bug_scale_next_row(int64_t k, int64_t, float* y, const uint8_t* tensor, const int8_t* q,
                                   float act_scale, int32_t act_sum, int64_t row0, int64_t nrows) {
  each_row(k, y, tensor, q, row0, nrows, [=](int64_t row, int32_t raw) {
    return static_cast<float>(raw - act_sum) / act_scale * float_at(tensor + (row + 1) * (k / 4));
  });
}

// microsoft/BitNet #468: the weight scale never reaches the kernel.
extern "C" void bug_scale_weight_missing(int64_t k, int64_t, float* y, const uint8_t* tensor, const int8_t* q,
                                         float act_scale, int32_t act_sum, int64_t row0, int64_t nrows) {
  each_row(k, y, tensor, q, row0, nrows,
           [=](int64_t, int32_t raw) { return static_cast<float>(raw - act_sum) / act_scale; });
}

extern "C" void bug_scale_act_missing(int64_t k, int64_t m, float* y, const uint8_t* tensor, const int8_t* q, float,
                                      int32_t act_sum, int64_t row0, int64_t nrows) {
  each_row(k, y, tensor, q, row0, nrows,
           [=](int64_t, int32_t raw) { return static_cast<float>(raw - act_sum) * weight_scale(k, m, tensor); });
}

// One side stores a scale, the other its reciprocal.
extern "C" void bug_scale_weight_inverted(int64_t k, int64_t m, float* y, const uint8_t* tensor, const int8_t* q,
                                          float act_scale, int32_t act_sum, int64_t row0, int64_t nrows) {
  each_row(k, y, tensor, q, row0, nrows, [=](int64_t, int32_t raw) {
    return static_cast<float>(raw - act_sum) / act_scale / weight_scale(k, m, tensor);
  });
}

extern "C" void bug_scale_act_inverted(int64_t k, int64_t m, float* y, const uint8_t* tensor, const int8_t* q,
                                       float act_scale, int32_t act_sum, int64_t row0, int64_t nrows) {
  each_row(k, y, tensor, q, row0, nrows, [=](int64_t, int32_t raw) {
    return static_cast<float>(raw - act_sum) * act_scale * weight_scale(k, m, tensor);
  });
}

// "No activations, no result": but a sum of zero does not mean that all are zero.
extern "C" void bug_zero_shortcut(int64_t k, int64_t m, float* y, const uint8_t* tensor, const int8_t* q,
                                  float act_scale, int32_t act_sum, int64_t row0, int64_t nrows) {
  each_row(k, y, tensor, q, row0, nrows, [=](int64_t, int32_t raw) {
    if (act_sum == 0) return 0.0F;
    return static_cast<float>(raw - act_sum) / act_scale * weight_scale(k, m, tensor);
  });
}
