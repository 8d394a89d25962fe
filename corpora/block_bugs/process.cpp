// Functions that leave their results unwritten, use memory, registers or the stack that are not theirs, never return,
// or take the process with them. q4_0 throughout: what they do has nothing to do with the format.
#include <unistd.h>

#include <bit>
#include <cstdlib>

#include "corpora/block_bugs/loops.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

using namespace tritcheck::block_museum;

namespace {

float right(int n, const void* vx, const void* vy) {
  return row<Q4_0>(n, static_cast<const uint8_t*>(vx), static_cast<const uint8_t*>(vy));
}

}  // namespace

// ---- results -------------------------------------------------------------------------------------------------------

VEC_DOT(q4_0_zero) {  // the accumulator that is stored is not the one that was filled
  keep(right(n, vx, vy));
  s[0] = 0;
}
VEC_DOT(q4_0_empty) {}  // no branch of an #if matched
VEC_DOT(q4_0_shape_not_listed) {
  if (n % 256 == 0) s[0] = right(n, vx, vy);
}
VEC_DOT(q4_0_uninitialised_register) {  // OpenMathLib/OpenBLAS #5917: an accumulator that nobody cleared
  double accumulator;                   // taken before anything else, hence the memory clobber
#if defined(__x86_64__)
  asm volatile("" : "=x"(accumulator) : : "memory");
#elif defined(__aarch64__)
  asm volatile("" : "=w"(accumulator) : : "memory");
#else
  asm volatile("" : "=m"(accumulator) : : "memory");
#endif
  // put away at once: a register that lives through the call below would be one that calls keep, and may hold 0
  const volatile double kept = accumulator;
  s[0] = std::bit_cast<float>(static_cast<uint32_t>(std::bit_cast<uint64_t>(double{kept}))) + right(n, vx, vy);
}
VEC_DOT(q4_0_uninitialised_stack) {  // eight partial sums, of which the first four are cleared
  float partial[8];
  asm volatile("" : "=m"(partial));  // else the compiler may invent a value, and invents the right one
  for (int i = 0; i < 4; ++i) partial[i] = 0;
  const auto* x = static_cast<const uint8_t*>(vx);
  const auto* y = static_cast<const uint8_t*>(vy);
  for (int b = 0; b < n / 32; ++b) partial[b % 8] += row<Q4_0>(32, x + b * Q4_0::kBytes, y + b * Q8_0Acts::kBytes);
  s[0] = 0;
  for (const float one : partial) s[0] += one;
}
VEC_DOT(q4_0_adds_to_output) {
  s[0] += right(n, vx, vy);
}
VEC_DOT(q4_0_old_output_times_0) {  // ml-explore/mlx PR #3563: C = A * B + beta * C, with beta = 0
  const volatile float beta = 0;
  s[0] = right(n, vx, vy) + beta * s[0];
}

// ---- memory --------------------------------------------------------------------------------------------------------

VEC_DOT(q4_0_whole_register) {  // ggml-org/llama.cpp #28180 is a relative: a register is stored for one number
  const float results[4] = {right(n, vx, vy), 0, 0, 0};
  std::memcpy(s, results, sizeof results);
}
VEC_DOT(q4_0_sign_in_place) {  // activations are made unsigned in place, and not made signed again
  auto* y = const_cast<uint8_t*>(static_cast<const uint8_t*>(vy));
  s[0] = right(n, vx, vy);
  for (int b = 0; b < n / 32; ++b) y[b * Q8_0Acts::kBytes + 2] ^= 0x80;
}
VEC_DOT(q4_0_read_before) {  // a sliding window is started early
  keep(load<uint16_t>(static_cast<const uint8_t*>(vy) - 2));
  s[0] = right(n, vx, vy);
}
VEC_DOT(q4_0_loads_its_output) {  // two results are loaded to be updated, where there is one
  keep(load<uint32_t>(reinterpret_cast<const uint8_t*>(s + 1)));
  s[0] = right(n, vx, vy);
}
VEC_DOT(q4_0_aligned_loads) {  // the first activations with a load that wants a multiple of 16
#if defined(__x86_64__)
  __m128i first;
  asm volatile("movdqa %1, %0" : "=x"(first) : "m"(*static_cast<const __m128i*>(vy)));
#endif
  s[0] = right(n, vx, vy);
}
TO_FLOAT(q4_0_floats_in_eights) {  // one register more than the last block needs
  to_float<Q4_0>(x, y, k);
  for (int i = 0; i < 8; ++i) y[k + i] = 0;
}
TO_FLOAT(q4_0_aligned_stores) {
#if defined(__x86_64__)
  for (int64_t b = 0; b < k / 32; ++b) {
    alignas(16) float block[32];
    to_float<Q4_0>(static_cast<const uint8_t*>(x) + b * Q4_0::kBytes, block, 32);
    for (int i = 0; i < 32; i += 4) {
      const __m128 four = _mm_load_ps(block + i);
      asm volatile("movaps %1, %0" : "=m"(*reinterpret_cast<__m128*>(y + b * 32 + i)) : "x"(four));
    }
  }
#else
  to_float<Q4_0>(x, y, k);  // never called: other CPUs have no such store
#endif
}

// ---- the process ---------------------------------------------------------------------------------------------------

VEC_DOT(q4_0_hang) {  // unrolled by two; the branch for the odd block does not count it
  for (int left = n / 32; left > 0;) {
    if (left >= 2) left -= 2;
    keep(left);  // a loop without any effect may be removed
  }
  s[0] = right(n, vx, vy);
}
VEC_DOT(q4_0_null_call) {  // ikawrakow/ik_llama.cpp #2038: an empty entry of a table
  static tritcheck_vec_dot_fn* volatile table[1] = {};
  table[0](n, s, bs, vx, bx, vy, by, nrc);
}
VEC_DOT(q4_0_wild_pointer) {
  static volatile uintptr_t scratch = 0x160000000000;
  *reinterpret_cast<volatile float*>(scratch) = right(n, vx, vy);
}
VEC_DOT(q4_0_abort) {  // an assertion about a shape that is allowed
  if (n % 256 != 0) std::abort();
  s[0] = right(n, vx, vy);
}
VEC_DOT(q4_0_exit) {
  if (n % 256 != 0) std::exit(1);
  s[0] = right(n, vx, vy);
}
VEC_DOT(q4_0_fork) {  // a child for the second half, whose results nobody collects
  if (fork() == 0) _exit(0);
  s[0] = right(n, vx, vy);
}
VEC_DOT(q4_0_closes_all) {  // as a daemon does when it starts
  for (int fd = 0; fd < 256; ++fd) close(fd);
  s[0] = right(n, vx, vy);
}
VEC_DOT(q4_0_illegal) {
#if defined(__x86_64__)
  asm volatile("ud2");
#elif defined(__aarch64__)
  asm volatile(".inst 0x00000000");
#else
  __builtin_trap();
#endif
  s[0] = right(n, vx, vy);
}
