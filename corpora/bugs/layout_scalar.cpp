// Kernels that read another packing than the one they were given.
#include "corpora/bugs/bugs.h"
#include "corpora/bugs/parts.h"

using namespace tritcheck::museum;

// microsoft/BitNet #585, #470, #551: block of 64 in groups of 16, on a file with blocks of 128 in groups of 32.
extern "C" void bug_layout_64_on_128(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                     int) {
  out[0] = dot<16>(k, w, q);
}

// The same disagreement seen from the other side: a file written on ARM, read on x86.
extern "C" void bug_layout_128_on_64(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                     int) {
  out[0] = dot<32>(k, w, q);
}

// microsoft/BitNet #600, #610: the scalar fallback takes weight i from byte i / 4, first weight in the top bits.
extern "C" void bug_layout_linear_msb(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                      size_t, int) {
  int32_t sum = 0;
  for (int64_t i = 0; i < k; ++i) sum += ((w[i / 4] >> (6 - 2 * (i % 4))) & 3) * q[i];
  out[0] = sum;
}

// The same, first weight in the bottom bits.
extern "C" void bug_layout_linear_lsb(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                      size_t, int) {
  int32_t sum = 0;
  for (int64_t i = 0; i < k; ++i) sum += ((w[i / 4] >> (2 * (i % 4))) & 3) * q[i];
  out[0] = sum;
}

// microsoft/BitNet built without ACT_PARALLEL: the packer interleaves four rows, the kernel reads row after row.
extern "C" void bug_layout_128_on_rows_1x4(int64_t k, int32_t* out, size_t out_stride, const uint8_t* w,
                                           size_t w_stride, const int8_t* q, size_t, int nrc) {
  for (int i = 0; i < nrc; ++i) {
    const uint8_t* group = row_at(w, i / 4, 4 * w_stride);
    *row_at(out, i, out_stride) = dot<32>(k, group + i % 4 * (k / 4), q);
  }
}

// The reverse: field j of every byte is taken for row j of a group of four.
extern "C" void bug_layout_rows_1x4_on_128(int64_t k, int32_t* out, size_t out_stride, const uint8_t* w,
                                           size_t w_stride, const int8_t* q, size_t, int nrc) {
  for (int i = 0; i < nrc; ++i) {
    const uint8_t* group = row_at(w, i / 4, 4 * w_stride);
    int32_t sum = 0;
    for (int64_t column = 0; column < k; ++column) {
      const uint8_t* row = row_at(group, column / (k / 4), w_stride);
      sum += code(row[column % (k / 4)], i % 4) * q[column];
    }
    *row_at(out, i, out_stride) = sum;
  }
}

// Plane 0 is looked for in the low bits.
extern "C" void bug_layout_bit_order(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                     int) {
  int32_t sum = 0;
  for (int64_t b = 0; b < k / 128; ++b) {
    for (int plane = 0; plane < 4; ++plane) {
      for (int i = 0; i < 32; ++i) sum += ((w[b * 32 + i] >> (2 * plane)) & 3) * q[b * 128 + plane * 32 + i];
    }
  }
  out[0] = sum;
}
