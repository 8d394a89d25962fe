#include "corpora/bugs/bugs.h"

// Kernels generated per shape (as bitnet.cpp's lookup-table kernels are): the one for rows of five blocks has two of
// its activation pointers exchanged. Constant rows hide it, and no other width has it.
extern "C" void bug_layout_one_shape(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                     int) {
  constexpr int64_t kOrder[5] = {0, 1, 2, 4, 3};
  int32_t sum = 0;
  for (int64_t block = 0; block < k / 128; ++block) {
    const int64_t activations = k == 640 ? kOrder[block] : block;
    for (int64_t i = 0; i < 128; ++i) {
      sum += ((w[block * 32 + i % 32] >> (6 - 2 * (i / 32))) & 3) * q[activations * 128 + i];
    }
  }
  out[0] = sum;
}
