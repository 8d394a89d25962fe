// Kernels whose result is right (in an ordinary process) and whose use of memory or registers is not.
#include <bit>

#include "corpora/bugs/bugs.h"
#include "corpora/bugs/parts.h"

using namespace tritcheck::museum;

// google/XNNPACK #4190 is a relative: the next block is fetched ahead of time, behind the last one too.
extern "C" void bug_over_read_weights(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                      size_t, int) {
  uint8_t ahead[32];
  std::memcpy(ahead, w, sizeof ahead);
  int32_t sum = 0;
  for (int64_t b = 0; b < k / 128; ++b) {
    uint8_t now[32];
    std::memcpy(now, ahead, sizeof now);
    std::memcpy(ahead, w + (b + 1) * 32, sizeof ahead);
    keep(ahead);
    sum += block<32>(now, q + b * 128);
  }
  out[0] = sum;
}

// A sliding window is started one element early; what it holds there is never used.
extern "C" void bug_over_read_before(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                     int) {
  const int8_t previous = *(q - 1);
  keep(previous);
  out[0] = dot<32>(k, w, q);
}

// Two blocks of 64 are loaded at a time; the second is masked off when there is none, but it is loaded.
extern "C" void bug_over_read_masked(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                     int) {
  int32_t sum = 0;
  for (int64_t b = 0; b < k / 64; b += 2) {
    int8_t second[64];
    std::memcpy(second, q + (b + 1) * 64, sizeof second);
    keep(second);
    sum += block<16>(w + b * 16, q + b * 64);
    if (b + 1 < k / 64) sum += block<16>(w + (b + 1) * 16, second);
  }
  out[0] = sum;
}

// A caller that cleared its output would never notice.
extern "C" void bug_adds_to_output(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                   int) {
  out[0] = static_cast<int32_t>(static_cast<uint32_t>(out[0]) + static_cast<uint32_t>(dot<32>(k, w, q)));
}

// A whole register of partial results is stored where one number belongs: eight bytes too many.
extern "C" void bug_over_write_register(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                        size_t, int) {
  const int32_t result[3] = {dot<32>(k, w, q), 0, 0};
  std::memcpy(out, result, sizeof result);
}

// ggml-org/llama.cpp #28180: the tile has four results and is stored whole, though fewer rows were asked for.
extern "C" void bug_over_write_tile(int64_t k, int32_t* out, size_t out_stride, const uint8_t* w, size_t w_stride,
                                    const int8_t* q, size_t, int nrc) {
  for (int first = 0; first < nrc; first += 4) {
    int32_t tile[4] = {};
    for (int i = 0; i < 4 && first + i < nrc; ++i) tile[i] = dot<32>(k, row_at(w, first + i, w_stride), q);
    for (int i = 0; i < 4; ++i) *row_at(out, first + i, out_stride) = tile[i];
  }
}

// Activations are made unsigned in place, by flipping their sign bit, and stay so.
extern "C" void bug_input_written(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                  int) {
  int8_t* scratch = const_cast<int8_t*>(q);
  for (int64_t i = 0; i < k; ++i) scratch[i] = static_cast<int8_t>(scratch[i] ^ -128);
  int32_t sum = 0;
  for (int64_t i = 0; i < k; ++i) {
    const int u = code(w[i / 128 * 32 + i % 32], static_cast<int>(i % 128 / 32));
    sum += u * static_cast<uint8_t>(scratch[i]) - 128 * u;
  }
  out[0] = sum;
}

// OpenMathLib/OpenBLAS #5917: the accumulator starts with whatever a vector register holds.
extern "C" void bug_uninitialised_register(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                           size_t, int) {
  double accumulator;  // taken before anything else, hence the memory clobber
#if defined(__x86_64__)
  asm volatile("" : "=x"(accumulator) : : "memory");
#elif defined(__aarch64__)
  asm volatile("" : "=w"(accumulator) : : "memory");
#else
  asm volatile("" : "=m"(accumulator) : : "memory");
#endif
  const uint32_t start = static_cast<uint32_t>(std::bit_cast<uint64_t>(accumulator));
  out[0] = static_cast<int32_t>(start + static_cast<uint32_t>(dot<32>(k, w, q)));
}

// One sum per position of the block since the loop was made fit for vectors; the line that clears them still clears the
// 32 there used to be.
extern "C" void bug_uninitialised_stack(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                        size_t, int) {
  uint32_t partial[128];
  asm volatile("" : "=m"(partial));  // else the compiler is free to invent a value, and invents the right one
  for (int i = 0; i < 32; ++i) partial[i] = 0;
  for (int64_t b = 0; b < k / 128; ++b, w += 32, q += 128) {
    for (int i = 0; i < 128; ++i) partial[i] += static_cast<uint32_t>(code(w[i % 32], i / 32) * q[i]);
  }
  uint32_t sum = 0;
  for (uint32_t one : partial) sum += one;
  out[0] = static_cast<int32_t>(sum);
}
