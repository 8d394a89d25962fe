// The seam between the harness, which thinks, and a worker, which only calls. A worker may be a forked process here,
// a process under an emulator, or a program on a phone: it gets bytes, places them in guarded memory, calls one kernel
// and reports what happened. Inputs are made, and results judged, on this side.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernel.h"

namespace tritcheck {

/// function: computes what its contract says. i2_dot: ggml_vec_dot_i2_i8_s, whose contract must be found out. library:
/// no function, but the whole of a library that could not be loaded.
enum class Role : uint8_t { function, i2_dot, library };

/// What a worker says about one kernel it holds. The contract travels with it, so the harness needs no list of its own.
struct KernelInfo {
  std::string name;
  Isa isa = Isa::scalar;
  Via via = Via::absent;
  Contract contract;
  bool runnable = false;  ///< compiled in and every CPU feature present
  std::string why_not;    ///< "not compiled", "cpu lacks avx2", ...; empty if runnable
  bool selected = false;  ///< what dispatch would choose here for its op and layout
  Role role = Role::function;
  std::string format = "i2_s";  ///< of the weights; blocks by ggml's name: "q4_K"
  std::string acts;             ///< vec_dot: of the activations, "q8_K"
  int32_t nrows = 1;            ///< vec_dot: the largest nrc
  std::string needs;            ///< a plug-in's: CPU features, as it says
  bool is_bug = false;          ///< a museum kernel
  std::string diagnosis;        ///< museum only: the name the harness must find
  std::string summary;          ///< museum only: one line

  /// Computes a product of I2_S, whose rows have no blocks and whose layout the contract states.
  bool of_i2_s() const { return role == Role::function && format == "i2_s"; }
};

/// What a worker found out about the library it was given.
struct LibraryInfo {
  std::string path;                ///< empty: no library
  std::string version;             ///< as it says itself: "0.25.1, commit 0ad4a86"; empty if it does not
  std::string abi;                 ///< "two tables of types, entries of 56 and 32 bytes"
  int64_t types = 0;               ///< entries of its table that make sense
  std::vector<std::string> notes;  ///< what its user should know
};

/// What a worker says when it starts.
struct WorkerInfo {
  std::string arch;      ///< "x86_64", "aarch64"
  std::string compiler;  ///< "gcc 12.2.0"
  std::string flags;     ///< compiler flags of the kernels
  std::string cpu;       ///< features seen: "ssse3 avx2", "neon dotprod", with HWCAP on ARM
  int schema = 0;        ///< protocol version
  LibraryInfo library = {};
  std::vector<KernelInfo> kernels = {};
};

/// The three regions a kernel touches.
enum class Buffer : uint8_t { none, weights, activations, output };

inline constexpr uint32_t kCanaryA = 0xA5A5A5A5;
inline constexpr uint32_t kCanaryB = 0x7FC0DEAD;  ///< a NaN when read as float

/// What every 32-bit lane of the vector registers and every word of the stack below hold when the kernel is called:
/// both are NaN when read as float, and large and different in every 8- and 16-bit lane.
inline constexpr uint32_t kPoison1 = 0x7FC5CB93;
inline constexpr uint32_t kPoison2 = 0xFFDA6E31;

/// One call of one kernel. With `guarded`, the worker calls it twice:
///   run A  every buffer ends right before an inaccessible page (rounded down to its alignment); output words hold
///          old_output; vector registers and the stack below hold poison
///   run B  every buffer starts right after an inaccessible page, plus its offset; output words hold kCanaryB; poison 2
/// Without, it calls it once (run A) in roomy zeroed memory with no guard, and output words hold old_output.
struct CallRequest {
  uint32_t kernel = 0;  ///< index into WorkerInfo::kernels
  bool guarded = true;
  bool force = false;  ///< call it even though a CPU feature is missing
  int32_t cpu_limit_ms = 2000;
  uint32_t old_output = kCanaryA;  ///< what output words hold before run A
  uint32_t poison = kPoison1;      ///< and vector registers and the stack

  int64_t k = 0;
  int32_t nrc = 1;          ///< dot family
  uint64_t w_stride = 0;    ///< bytes
  uint64_t q_stride = 0;    ///< bytes
  uint64_t out_stride = 1;  ///< elements
  int64_t m = 0;            ///< gemv
  int64_t row0 = 0;
  int64_t nrows = 0;
  float act_scale = 1.0F;
  int32_t act_sum = 0;
  int32_t threads = 1;  ///< more than 1: afterwards so many threads call it at once, see CallResult::note

  std::vector<uint8_t> weights;     ///< exactly the legal bytes
  std::vector<int8_t> activations;  ///< exactly the legal bytes
  uint32_t out_words = 0;           ///< 4-byte elements of the output region, gaps between strides included

  uint32_t w_offset = 0;  ///< run B: start offsets in bytes, multiples of the contract's alignment
  uint32_t q_offset = 0;
  uint32_t out_offset = 0;
};

/// The note of a call that gives other results when several threads make it at the same time.
inline constexpr const char* kUnequalThreads = "threads";

enum class CallStatus : uint8_t { returned, crashed, timed_out, lost };

struct CallResult {
  CallStatus status = CallStatus::lost;
  std::vector<uint32_t> out_a;  ///< output region after run A, as words (int32 or the bits of a float)
  std::vector<uint32_t> out_b;  ///< after run B; empty if not guarded

  int32_t bytes_before = 0;       ///< bytes changed just before the output region in either run (furthest distance)
  int32_t bytes_after = 0;        ///< bytes changed just after it
  Buffer changed = Buffer::none;  ///< an input region that was written to

  // crashed only
  int32_t signal = 0;
  char run = 'A';                      ///< which run
  Buffer fault_buffer = Buffer::none;  ///< whose guard page (or region) the faulting address lies in
  int64_t fault_distance = 0;  ///< bytes past the region's end (0 is the first byte past it), or before its first (< 0)
  bool fault_inside = false;   ///< the address lies in the region itself; fault_distance counts from its first byte
  bool no_address = false;     ///< the CPU gave none: an aligned access to misaligned data (x86), or a wild pointer
  bool fault_write = false;    ///< known only where the CPU tells
  bool null_pc = false;        ///< the program counter itself was in the first page: a null function was called
  std::string note;  ///< lost: why ("worker exited with 3", "no answer for 20 s"); returned: what the call did
                     ///< not keep for its caller ("rbx, r12"), or kUnequalThreads; empty if nothing
};

/// Runs calls on one target. A crash, a hang or a lost worker is a result, never an exception: the next call works.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual const WorkerInfo& info() const = 0;
  /// One result per request, in order.
  virtual std::vector<CallResult> run(std::span<const CallRequest> requests) = 0;
};

}  // namespace tritcheck
