// Kernels that lose, repeat or skip a part of the row.
#include "corpora/bugs/bugs.h"
#include "corpora/bugs/parts.h"

using namespace tritcheck::museum;

// ggml-org/llama.cpp #29131: unrolled by two blocks, and the odd one at the end is forgotten.
extern "C" void bug_tail_odd_block(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                   int) {
  int32_t sum = 0;
  for (int64_t b = 0; b + 1 < k / 128; b += 2) {
    sum += block<32>(w + b * 32, q + b * 128);
    sum += block<32>(w + b * 32 + 32, q + b * 128 + 128);
  }
  out[0] = sum;
}

// A loop of 64-byte loads that stops in front of the last half one: the last 32 activations of every row are lost.
extern "C" void bug_tail_last_32(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                 int) {
  int32_t sum = dot<32>(k, w, q);
  for (int64_t i = 0; i < 32; ++i) sum -= code(w[k / 4 - 32 + i], 3) * q[k - 32 + i];
  out[0] = sum;
}

// ikawrakow/ik_llama.cpp #213: blocks of 64 taken two at a time, so the last 64 of K = 64 * odd are never added.
extern "C" void bug_tail_last_64(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                 int) {
  out[0] = dot<16>(k / 128 * 128, w, q);
}

// A prologue that was to take block 0 is gone; the loop still starts at 1.
extern "C" void bug_unit_first_dropped(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                       size_t, int) {
  int32_t sum = 0;
  for (int64_t b = 1; b < k / 128; ++b) sum += block<32>(w + b * 32, q + b * 128);
  out[0] = sum;
}

// ggml-org/llama.cpp PR #16518: an unrolled loop loads into the wrong variable, here block 0 in the place of block 1.
extern "C" void bug_unit_repeated(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                  int) {
  int32_t sum = 0;
  for (int64_t b = 0; b < k / 128; ++b) {
    const int64_t from = b == 1 ? 0 : b;
    sum += block<32>(w + from * 32, q + from * 128);
  }
  out[0] = sum;
}

// Packed words of 16 weights are counted in eight bits: after 256 words, 4096 weights, the row begins again.
extern "C" void bug_index_wrap_4096(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                    int) {
  int32_t sum = 0;
  uint8_t word = 0;
  for (int64_t left = k / 16; left > 0; --left, ++word) {
    for (int i = 0; i < 4; ++i) {
      const int byte = 4 * word + i;
      const int8_t* block_q = q + byte / 32 * 128 + byte % 32;
      for (int plane = 0; plane < 4; ++plane) sum += code(w[byte], plane) * block_q[plane * 32];
    }
  }
  out[0] = sum;
}

// A short cut for blocks without activations looks at the first vector of each block only.
extern "C" void bug_sparse_skip_activations(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                            size_t, int) {
  int32_t sum = 0;
  for (int64_t b = 0; b < k / 128; ++b, w += 32, q += 128) {
    int any = 0;
    for (int i = 0; i < 16; ++i) any |= q[i];
    if (any != 0) sum += block<32>(w, q);
  }
  out[0] = sum;
}

// A short cut for blocks without codes looks at the first eight bytes of each block only.
extern "C" void bug_sparse_skip_weights(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                        size_t, int) {
  int32_t sum = 0;
  for (int64_t b = 0; b < k / 128; ++b, w += 32, q += 128) {
    uint64_t first;
    std::memcpy(&first, w, sizeof first);
    if (first != 0) sum += block<32>(w, q);
  }
  out[0] = sum;
}
