#include "harness/runner/preserved.h"

#include <vector>

// Written in assembly, since no compiler can be told to leave these registers alone. The stand-in takes the return
// address off the stack, so that the target finds its stack arguments where it expects them.
extern "C" {
void* g_preserved_target = nullptr;
// the caller's registers, the return address, and what the registers held after the call
uint64_t g_preserved_caller[32];
uint64_t g_preserved_after[32];
}

namespace {
constexpr uint64_t kPattern = 0x5AFE000000000000U;  // plus the number of the register, as the assembly has it
}

#if defined(__x86_64__)

// System V ABI, AMD64, 3.2.1: rbx, rbp, r12 to r15 and the stack pointer belong to the caller.
asm(R"(
    .text
    .globl tritcheck_preserved_call
    .type tritcheck_preserved_call, @function
tritcheck_preserved_call:
    popq g_preserved_caller+56(%rip)
    movq %rbx, g_preserved_caller(%rip)
    movq %rbp, g_preserved_caller+8(%rip)
    movq %r12, g_preserved_caller+16(%rip)
    movq %r13, g_preserved_caller+24(%rip)
    movq %r14, g_preserved_caller+32(%rip)
    movq %r15, g_preserved_caller+40(%rip)
    movq %rsp, g_preserved_caller+48(%rip)
    movabsq $0x5AFE000000000000, %rbx
    leaq 1(%rbx), %rbp
    leaq 2(%rbx), %r12
    leaq 3(%rbx), %r13
    leaq 4(%rbx), %r14
    leaq 5(%rbx), %r15
    call *g_preserved_target(%rip)
    movq %rbx, g_preserved_after(%rip)
    movq %rbp, g_preserved_after+8(%rip)
    movq %r12, g_preserved_after+16(%rip)
    movq %r13, g_preserved_after+24(%rip)
    movq %r14, g_preserved_after+32(%rip)
    movq %r15, g_preserved_after+40(%rip)
    movq %rsp, g_preserved_after+48(%rip)
    movq g_preserved_caller(%rip), %rbx
    movq g_preserved_caller+8(%rip), %rbp
    movq g_preserved_caller+16(%rip), %r12
    movq g_preserved_caller+24(%rip), %r13
    movq g_preserved_caller+32(%rip), %r14
    movq g_preserved_caller+40(%rip), %r15
    movq g_preserved_caller+48(%rip), %rsp
    pushq g_preserved_caller+56(%rip)
    ret
    .size tritcheck_preserved_call, .-tritcheck_preserved_call
    .section .note.GNU-stack,"",@progbits
    .text
)");

namespace {

// Finds what was not kept on this architecture, and puts the modes back.
void find_changes(std::vector<std::string>& bad) {
  constexpr const char* names[] = {"rbx", "rbp", "r12", "r13", "r14", "r15"};
  for (uint64_t i = 0; i < 6; ++i) {
    if (g_preserved_after[i] != kPattern + i) bad.emplace_back(names[i]);
  }
  if (g_preserved_after[6] != g_preserved_caller[6]) bad.emplace_back("the stack pointer");
  // bits 6 to 15 of MXCSR: denormals are zeros, exception masks, rounding, flush to zero; below are mere flags
  constexpr uint32_t kDefault = 0x1F80;
  constexpr uint32_t kControl = 0xFFC0;
  uint32_t mxcsr = 0;
  asm volatile("stmxcsr %0" : "=m"(mxcsr));
  if ((mxcsr & kControl) != kDefault) {
    bad.emplace_back("the rounding mode or the treatment of denormals (MXCSR)");
    asm volatile("ldmxcsr %0" : : "m"(kDefault));
  }
  uint16_t x87 = 0;
  asm volatile("fnstcw %0" : "=m"(x87));
  if (x87 != 0x37F) {
    bad.emplace_back("the control word of the x87");
    asm volatile("fninit");
  }
  uint64_t flags = 0;
  asm volatile("pushfq\n\tpopq %0" : "=r"(flags));
  if ((flags & 0x400) != 0) {
    bad.emplace_back("the direction flag");
    asm volatile("cld");
  }
}

}  // namespace

#elif defined(__aarch64__)

// Procedure Call Standard for the Arm 64-bit Architecture, 6.1: x19 to x29, the low halves of v8 to v15 and the stack
// pointer belong to the caller. x16 and x17 are free.
asm(R"(
    .text
    .globl tritcheck_preserved_call
    .type tritcheck_preserved_call, %function
tritcheck_preserved_call:
    adrp x16, g_preserved_caller
    add x16, x16, :lo12:g_preserved_caller
    stp x19, x20, [x16]
    stp x21, x22, [x16, 16]
    stp x23, x24, [x16, 32]
    stp x25, x26, [x16, 48]
    stp x27, x28, [x16, 64]
    stp x29, x30, [x16, 80]
    mov x17, sp
    str x17, [x16, 96]
    stp d8, d9, [x16, 104]
    stp d10, d11, [x16, 120]
    stp d12, d13, [x16, 136]
    stp d14, d15, [x16, 152]
    mov x19, 0x5AFE000000000000
    add x20, x19, 1
    add x21, x19, 2
    add x22, x19, 3
    add x23, x19, 4
    add x24, x19, 5
    add x25, x19, 6
    add x26, x19, 7
    add x27, x19, 8
    add x28, x19, 9
    add x29, x19, 10
    fmov d8, x19
    fmov d9, x20
    fmov d10, x21
    fmov d11, x22
    fmov d12, x23
    fmov d13, x24
    fmov d14, x25
    fmov d15, x26
    adrp x16, g_preserved_target
    ldr x16, [x16, :lo12:g_preserved_target]
    blr x16
    adrp x16, g_preserved_after
    add x16, x16, :lo12:g_preserved_after
    stp x19, x20, [x16]
    stp x21, x22, [x16, 16]
    stp x23, x24, [x16, 32]
    stp x25, x26, [x16, 48]
    stp x27, x28, [x16, 64]
    str x29, [x16, 80]
    mov x17, sp
    str x17, [x16, 96]
    stp d8, d9, [x16, 104]
    stp d10, d11, [x16, 120]
    stp d12, d13, [x16, 136]
    stp d14, d15, [x16, 152]
    adrp x16, g_preserved_caller
    add x16, x16, :lo12:g_preserved_caller
    ldp x19, x20, [x16]
    ldp x21, x22, [x16, 16]
    ldp x23, x24, [x16, 32]
    ldp x25, x26, [x16, 48]
    ldp x27, x28, [x16, 64]
    ldp x29, x30, [x16, 80]
    ldr x17, [x16, 96]
    mov sp, x17
    ldp d8, d9, [x16, 104]
    ldp d10, d11, [x16, 120]
    ldp d12, d13, [x16, 136]
    ldp d14, d15, [x16, 152]
    ret
    .size tritcheck_preserved_call, .-tritcheck_preserved_call
    .section .note.GNU-stack,"",%progbits
    .text
)");

namespace {

// Finds what was not kept on this architecture, and puts the modes back.
void find_changes(std::vector<std::string>& bad) {
  for (uint64_t i = 0; i < 11; ++i) {
    if (g_preserved_after[i] != kPattern + i) bad.push_back("x" + std::to_string(19 + i));
  }
  if (g_preserved_after[12] != g_preserved_caller[12]) bad.emplace_back("the stack pointer");
  for (uint64_t i = 0; i < 8; ++i) {
    if (g_preserved_after[13 + i] != kPattern + i) bad.push_back("d" + std::to_string(8 + i));
  }
  uint64_t fpcr = 0;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  if (fpcr != 0) {
    bad.emplace_back("the rounding mode or the treatment of denormals (FPCR)");
    asm volatile("msr fpcr, xzr");
  }
}

}  // namespace

#else
#error "teach preserved.cpp which registers a call must keep on this architecture"
#endif

namespace tritcheck {

std::string not_preserved() {
  std::vector<std::string> bad;
  find_changes(bad);
  std::string out;
  for (const std::string& one : bad) out += (out.empty() ? "" : ", ") + one;
  return out;
}

}  // namespace tritcheck
