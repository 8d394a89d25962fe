// One weight row by one activation row, layout x86_128: a small right kernel. Put yours in its place.
#include "kernels/kernel.h"

extern "C" void my_dot_scalar(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t, int) {
  int32_t sum = 0;
  for (int64_t block = 0; block < k / 128; ++block) {
    for (int64_t i = 0; i < 32; ++i) {  // byte i of a block holds columns i, i + 32, i + 64, i + 96
      const int byte = w[block * 32 + i];
      for (int field = 0; field < 4; ++field) {
        sum += (byte >> (6 - 2 * field) & 3) * q[block * 128 + field * 32 + i];
      }
    }
  }
  out[0] = sum;  // raw: codes 0..3, not centred
}
