// Kernels that never return, or take the process with them.
#include <cstdlib>

#include "corpora/bugs/bugs.h"
#include "corpora/bugs/parts.h"

using namespace tritcheck::museum;

// Unrolled by two; the branch for the odd block at the end does not count it.
extern "C" void bug_hang_odd_block(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                   int) {
  int32_t sum = 0;
  for (int64_t left = k / 128; left > 0;) {
    if (left >= 2) {
      sum += dot<32>(256, w, q);
      w += 64;
      q += 256;
      left -= 2;
    } else {
      sum += block<32>(w, q);
      keep(sum);  // a loop without any effect may be removed
    }
  }
  out[0] = sum;
}

// ikawrakow/ik_llama.cpp #2038: a table has no function for this type, and nobody looks before calling.
extern "C" void bug_null_call(int64_t k, int32_t* out, size_t out_stride, const uint8_t* w, size_t w_stride,
                              const int8_t* q, size_t q_stride, int nrc) {
  static tritcheck_dot_fn* volatile table[1] = {};
  table[0](k, out, out_stride, w, w_stride, q, q_stride, nrc);
}

// The scratch memory was never allocated; its pointer holds an old number.
extern "C" void bug_crash_wild_pointer(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                       size_t, int) {
  static volatile uintptr_t scratch_address = 0x160000000000;
  volatile int32_t* scratch = reinterpret_cast<volatile int32_t*>(scratch_address);
  scratch[0] = dot<32>(k, w, q);
  out[0] = scratch[0];
}

// An assertion about a shape that the contract allows.
extern "C" void bug_crash_abort(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                int) {
  if (k % 256 != 0) std::abort();
  out[0] = dot<32>(k, w, q);
}

// The same, by a library that thinks the process is its own.
extern "C" void bug_crash_exit(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                               int) {
  if (k % 256 != 0) std::exit(1);
  out[0] = dot<32>(k, w, q);
}
