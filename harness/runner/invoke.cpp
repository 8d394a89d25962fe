#include "harness/runner/invoke.h"

#include <cstddef>

#include "harness/runner/preserved.h"

namespace tritcheck {
namespace {

// Deeper than any kernel of ours reaches.
constexpr size_t kStackWords = 4096;

__attribute__((noinline, no_sanitize("address", "undefined"))) void poison_stack(uint32_t poison) {
  uint32_t below[kStackWords];
  for (uint32_t& word : below) word = poison;
  asm volatile("" : : "r"(below) : "memory");
}

// Keeps the frame of the function it ends, so that the kernel's lies below it: in the poison, not above.
[[gnu::always_inline]] inline void no_tail_call() {
  asm volatile("" : : : "memory");
}

// Written right before the call and inlined there: the compiler, told of the clobbers, loads the arguments afterwards,
// the float one of a gemv included. The instructions are assembled whatever the target flags; AVX is asked for at run
// time.
#if defined(__x86_64__)

bool has_avx() {
  static const bool has = __builtin_cpu_supports("avx") != 0;
  return has;
}

// clang-format off
#define EACH_REGISTER(DO) \
  DO("1") DO("2") DO("3") DO("4") DO("5") DO("6") DO("7") DO("8") \
  DO("9") DO("10") DO("11") DO("12") DO("13") DO("14") DO("15")
// clang-format on
#define COPY_YMM(n) "vmovaps %%ymm0, %%ymm" n "\n\t"
#define COPY_XMM(n) "movaps %%xmm0, %%xmm" n "\n\t"
#define CLOBBERS                                                                                                      \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", \
      "xmm14", "xmm15", "rax", "r10", "r11", "memory"

[[gnu::always_inline]] inline void poison_registers(uint32_t poison, bool avx) {
  constexpr uint32_t kDefaultMxcsr = 0x1F80;
  if (avx) {
    asm volatile("vbroadcastss %0, %%ymm0\n\t" EACH_REGISTER(
                     COPY_YMM) "movl %0, %%eax\n\tmovl %%eax, %%r10d\n\tmovl %%eax, %%r11d\n\tldmxcsr %1"
                 :
                 : "m"(poison), "m"(kDefaultMxcsr)
                 : CLOBBERS);
  } else {
    asm volatile("movss %0, %%xmm0\n\tshufps $0, %%xmm0, %%xmm0\n\t" EACH_REGISTER(
                     COPY_XMM) "movl %0, %%eax\n\tmovl %%eax, %%r10d\n\tmovl %%eax, %%r11d\n\tldmxcsr %1"
                 :
                 : "m"(poison), "m"(kDefaultMxcsr)
                 : CLOBBERS);
  }
}
// Code without AVX is slow on some CPUs while the upper halves are in use.
[[gnu::always_inline]] inline void clean_registers(bool avx) {
  if (avx) asm volatile("vzeroupper" : : : CLOBBERS);
}

#elif defined(__aarch64__)

bool has_avx() {
  return false;
}

// clang-format off
#define EACH_REGISTER(DO) \
  DO("0") DO("1") DO("2") DO("3") DO("4") DO("5") DO("6") DO("7") \
  DO("16") DO("17") DO("18") DO("19") DO("20") DO("21") DO("22") DO("23") \
  DO("24") DO("25") DO("26") DO("27") DO("28") DO("29") DO("30") DO("31")
// clang-format on
#define COPY(n) "dup v" n ".4s, %w0\n\t"

[[gnu::always_inline]] inline void poison_registers(uint32_t poison, bool) {
  asm volatile(EACH_REGISTER(COPY) "msr fpcr, xzr"
               :
               : "r"(poison)
               : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",
                 "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "memory");
}
[[gnu::always_inline]] inline void clean_registers(bool) {}

#else
#error "teach invoke.cpp which registers a call may destroy on this architecture"
#endif

[[gnu::noinline]] void call_dot(tritcheck_dot_fn* kernel, const CallRequest& r, const Arguments& a, uint32_t poison,
                                bool avx) {
  kernel = preserved(kernel);
  poison_registers(poison, avx);
  kernel(r.k, static_cast<int32_t*>(a.output), r.out_stride, a.weights, r.w_stride, a.activations, r.q_stride, r.nrc);
  clean_registers(avx);
  no_tail_call();
}

[[gnu::noinline]] void call_gemv(tritcheck_gemv_fn* kernel, const CallRequest& r, const Arguments& a, uint32_t poison,
                                 bool avx) {
  kernel = preserved(kernel);
  poison_registers(poison, avx);
  kernel(r.k, r.m, static_cast<float*>(a.output), a.weights, a.activations, r.act_scale, r.act_sum, r.row0, r.nrows);
  clean_registers(avx);
  no_tail_call();
}

[[gnu::noinline]] void call_vec_dot(tritcheck_vec_dot_fn* f, const CallRequest& r, size_t w_stride, const Arguments& a,
                                    uint32_t poison, bool avx) {
  f = preserved(f);
  poison_registers(poison, avx);
  f(static_cast<int>(r.k), static_cast<float*>(a.output), r.out_stride, a.weights, w_stride, a.activations, r.q_stride,
    r.nrc);
  clean_registers(avx);
  no_tail_call();
}

[[gnu::noinline]] void call_to_float(tritcheck_to_float_fn* f, const CallRequest& r, const Arguments& a,
                                     uint32_t poison, bool avx) {
  f = preserved(f);
  poison_registers(poison, avx);
  f(a.weights, static_cast<float*>(a.output), r.k);
  clean_registers(avx);
  no_tail_call();
}

[[gnu::noinline]] void call_from_float(tritcheck_from_float_fn* f, const CallRequest& r, const Arguments& a,
                                       uint32_t poison, bool avx) {
  f = preserved(f);
  poison_registers(poison, avx);
  f(reinterpret_cast<const float*>(a.weights), a.output, r.k);
  clean_registers(avx);
  no_tail_call();
}

}  // namespace

void invoke(const Function& function, const CallRequest& request, const Arguments& arguments, uint32_t poison) {
  const bool avx = has_avx();
  poison_stack(poison);
  if (function.vec_dot != nullptr) {
    call_vec_dot(function.vec_dot, request, (function.fake_bytes ? 4 : 1) * request.w_stride, arguments, poison, avx);
  } else if (function.to_float != nullptr) {
    call_to_float(function.to_float, request, arguments, poison, avx);
  } else {
    call_from_float(function.from_float, request, arguments, poison, avx);
  }
  no_tail_call();
}

void invoke(const Kernel& kernel, const CallRequest& request, const Arguments& arguments, uint32_t poison) {
  const bool avx = has_avx();
  poison_stack(poison);
  if (kernel.contract.op == Op::gemv) {
    call_gemv(kernel.gemv, request, arguments, poison, avx);
  } else {
    call_dot(kernel.dot, request, arguments, poison, avx);
  }
  no_tail_call();
}

}  // namespace tritcheck
