#include "corpora/bugs/bugs.h"

namespace {

// A dot in which two blocks have their activation pointers exchanged.
void exchanged(int64_t k, int32_t* out, const uint8_t* w, const int8_t* q, bool exchange) {
  int32_t sum = 0;
  for (int64_t block = 0; block < k / 128; ++block) {
    const int64_t activations = exchange && block == 3 ? 4 : exchange && block == 4 ? 3 : block;
    for (int64_t i = 0; i < 128; ++i) {
      sum += ((w[block * 32 + i % 32] >> (6 - 2 * (i / 32))) & 3) * q[activations * 128 + i];
    }
  }
  out[0] = sum;
}

}  // namespace

// Kernels generated per shape, as bitnet.cpp's lookup-table kernels are: one of them is wrong. Constant rows hide it,
// and no other width has it.
extern "C" void bug_layout_one_shape(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                     int) {
  exchanged(k, out, w, q, k == 640);
}

extern "C" void bug_layout_one_model(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                     int) {
  exchanged(k, out, w, q, k == 6912);
}
