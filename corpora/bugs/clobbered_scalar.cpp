// Kernels whose results are right and that do not give their caller back what belongs to it. In a program compiled with
// little optimisation, or called from a simple loop, nothing shows.
#include "corpora/bugs/bugs.h"
#include "corpora/bugs/parts.h"

using namespace tritcheck::museum;

// A kernel in assembly uses a register and does not give it back. Written as such, since a compiler that happens to
// keep that register for itself would hide it.
extern "C" {
void bug_callee_saved(int64_t, int32_t*, size_t, const uint8_t*, size_t, const int8_t*, size_t, int);
[[gnu::used]] void bug_callee_saved_loop(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q) {
  out[0] = dot<32>(k, w, q);
}
}
#if defined(__x86_64__)
asm(R"(
    .text
    .globl bug_callee_saved
    .type bug_callee_saved, @function
bug_callee_saved:
    subq $8, %rsp
    call bug_callee_saved_loop
    addq $8, %rsp
    xorl %r14d, %r14d
    ret
    .size bug_callee_saved, .-bug_callee_saved
)");
#elif defined(__aarch64__)
asm(R"(
    .text
    .globl bug_callee_saved
    .type bug_callee_saved, %function
bug_callee_saved:
    stp x29, x30, [sp, #-16]!
    bl bug_callee_saved_loop
    ldp x29, x30, [sp], #16
    movi d9, #0
    ret
    .size bug_callee_saved, .-bug_callee_saved
)");
#else
void bug_callee_saved(int64_t k, int32_t* out, size_t a, const uint8_t* w, size_t b, const int8_t* q, size_t, int) {
  bug_callee_saved_loop(k, out, a, w, b, q);
}
#endif

// llvm/llvm-project #57589: code compiled for speed makes denormals zero and leaves the whole thread that way.
extern "C" void bug_mode_left(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t, int) {
#if defined(__x86_64__)
  const uint32_t flush = 0x9FC0;
  asm volatile("ldmxcsr %0" : : "m"(flush));
#elif defined(__aarch64__)
  const uint64_t flush = uint64_t{1} << 24;
  asm volatile("msr fpcr, %0" : : "r"(flush));
#endif
  out[0] = dot<32>(k, w, q);
}

// Partial sums in static memory: right as long as one thread at a time calls.
extern "C" void bug_static_scratch(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                   int) {
  static int32_t partial[64];
  std::memset(partial, 0, sizeof partial);
  for (int64_t b = 0; b < k / 128; ++b) {
    partial[b % 64] += block<32>(w + b * 32, q + b * 128);
    keep(partial);
  }
  int32_t sum = 0;
  for (const int32_t p : partial) sum += p;
  out[0] = sum;
}
