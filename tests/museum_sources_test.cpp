// The museum itself: every broken kernel is right where its defect does not matter, and wrong (or fatal) on its
// trigger. Calls are made here, by hand, in memory with guard pages, so that nothing of the harness is needed to trust
// the museum; only for what belongs to the caller the runner's own stand-in is used, which takes assembly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <ostream>

#include "corpora/bugs/bugs.h"
#include "harness/cases/problem.h"
#include "harness/runner/preserved.h"
#include "kernels/features.h"
#include "reference/prng.h"

namespace tritcheck {

// How GoogleTest names the parameter of a failed test.
void PrintTo(const Bug& bug, std::ostream* out) {
  *out << bug.kernel.name;
}

namespace {
using Problem = I2sProblem;  // by its numbers

/// Where a buffer lies between its two inaccessible pages.
enum class Place { roomy, end, start };

/// Bytes between two inaccessible pages: right before the second, right after the first, or far from both.
class Memory {
 public:
  template <class T>
  Memory(const std::vector<T>& bytes, Place place, size_t shift = 0) : size_(bytes.size() * sizeof(T)) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t room = place == Place::roomy ? size_t{1} << 20 : 0;
    const size_t open = (size_ + shift + page - 1) / page * page + 2 * room;
    total_ = open + 2 * page;
    base_ = static_cast<uint8_t*>(mmap(nullptr, total_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED || mprotect(base_ + page, open, PROT_READ | PROT_WRITE) != 0) abort();
    data_ = place == Place::end ? base_ + page + open - size_ : base_ + page + room + shift;
    std::memcpy(data_, bytes.data(), size_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { munmap(base_, total_); }

  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }
  bool holds(const void* bytes) const { return std::memcmp(data_, bytes, size_) == 0; }

 private:
  uint8_t* base_ = nullptr;
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
  size_t total_ = 0;
};

// Leaves `pattern` in the 4 KiB of stack below the caller and in the vector registers, as an unlucky caller would.
// Inlined, so that no frame of its own stays unpoisoned.
__attribute__((always_inline)) inline void poison(uint8_t pattern) {
  const uint64_t word = 0x0101010101010101 * pattern;
#if defined(__x86_64__)
  asm volatile(
      "lea -4096(%%rsp), %%rdi\n\tmov $512, %%ecx\n\trep stosq\n\t"
      "movq %0, %%xmm0\n\tmovq %0, %%xmm1\n\tmovq %0, %%xmm2\n\tmovq %0, %%xmm3\n\t"
      "movq %0, %%xmm4\n\tmovq %0, %%xmm5\n\tmovq %0, %%xmm6\n\tmovq %0, %%xmm7"
      :
      : "a"(word)
      : "rdi", "rcx", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
#elif defined(__aarch64__)
  asm volatile(
      "sub x9, sp, #4096\n1:\tstr %0, [x9], #8\n\tcmp sp, x9\n\tb.ne 1b\n\t"
      "fmov d0, %0\n\tfmov d1, %0\n\tfmov d2, %0\n\tfmov d3, %0\n\t"
      "fmov d4, %0\n\tfmov d5, %0\n\tfmov d6, %0\n\tfmov d7, %0"
      :
      : "r"(word)
      : "x9", "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7");
#else
  (void)word;
#endif
}

/// How to call: where the buffers lie, and what was in registers and stack before.
struct Setting {
  Place place = Place::end;
  uint8_t poison = 0;
};

/// One call, by the stand-in that gives registers back; true if all results are right and nothing else was changed.
bool is_right(const Kernel& kernel, Problem p, Setting setting) {
  const CallRequest r = make_request((p.pack(), p), 0, true);
  const Memory weights(r.weights, setting.place);
  const Memory acts(r.activations, setting.place, p.q_offset);
  const std::vector<uint32_t> canaries(r.out_words, kCanaryB);
  const Memory out(canaries, setting.place);
  const size_t w_stride = p.op == Op::rows ? r.w_stride : static_cast<size_t>(p.k) / 4;
  const size_t q_stride = p.op == Op::acts ? r.q_stride : static_cast<size_t>(p.k);
  if (p.op == Op::gemv) {
    const auto gemv = preserved(kernel.gemv);
    poison(setting.poison);
    gemv(r.k, r.m, out.as<float>(), weights.as<uint8_t>(), acts.as<int8_t>(), r.act_scale, r.act_sum, r.row0, r.nrows);
  } else {
    const auto dot = preserved(kernel.dot);
    poison(setting.poison);
    dot(r.k, out.as<int32_t>(), r.out_stride, weights.as<uint8_t>(), w_stride, acts.as<int8_t>(), q_stride, r.nrc);
  }
  const std::vector<uint32_t> words(out.as<uint32_t>(), out.as<uint32_t>() + r.out_words);
  return answers(p, words) == expected(p).values && weights.holds(r.weights.data()) && acts.holds(r.activations.data());
}

/// True if the call ends its process: by a signal, by using up a second of CPU time, or by exit.
bool is_fatal(const Kernel& kernel, const Problem& p, Setting setting) {
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    for (int s : {SIGSEGV, SIGBUS, SIGABRT, SIGILL}) signal(s, SIG_DFL);
    const rlimit one_second{1, 1}, none{0, 0};
    setrlimit(RLIMIT_CPU, &one_second);
    setrlimit(RLIMIT_CORE, &none);
    is_right(kernel, p, setting);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/// What a call changed of its caller's registers and modes.
std::string taken_from_caller(const Kernel& kernel, Problem p) {
  const CallRequest r = make_request((p.pack(), p), 0, true);
  std::vector<int32_t> out(r.out_words);
  preserved(kernel.dot)(r.k, out.data(), r.out_stride, r.weights.data(), r.w_stride, r.activations.data(), r.q_stride,
                        r.nrc);
  return not_preserved();
}

/// A call that interrupts another, as a second thread's would on one core.
struct Interruption {
  const Kernel* kernel;
  CallRequest request;
  volatile sig_atomic_t calls = 0;

  static inline Interruption* current = nullptr;
  static void on_timer(int) {
    const CallRequest& r = current->request;
    int32_t out = 0;
    current->kernel->dot(r.k, &out, 1, r.weights.data(), r.w_stride, r.activations.data(), r.q_stride, 1);
    current->calls = current->calls + 1;
  }
};

/// True if `p` keeps its result though calls with `other` interrupt it, some thousand times, at any place.
bool survives_itself(const Kernel& kernel, Problem p, Problem other) {
  const CallRequest r = make_request((p.pack(), p), 0, true);
  const auto right = static_cast<int32_t>(expected(p).values.front());
  Interruption interruption{&kernel, make_request((other.pack(), other), 0, true)};
  Interruption::current = &interruption;
  const auto before = signal(SIGALRM, Interruption::on_timer);
  const itimerval often{{0, 200}, {0, 200}}, never{};
  setitimer(ITIMER_REAL, &often, nullptr);
  bool same = true;
  while (same && interruption.calls < 2000) {
    int32_t out = 0;
    kernel.dot(r.k, &out, 1, r.weights.data(), r.w_stride, r.activations.data(), r.q_stride, 1);
    same = out == right;
  }
  setitimer(ITIMER_REAL, &never, nullptr);
  signal(SIGALRM, before);
  return same;
}

/// Everything a contract allows: codes 0..max_code, q_min..127, no two rows alike. For op dot there is one result.
Problem dense(const Contract& c, int64_t k, int32_t n = 1) {
  Problem p;
  p.op = c.op;
  p.layout = c.layout;
  p.k = k;
  p.n = c.op == Op::dot ? 1 : n;
  p.m = c.op == Op::gemv ? n : 0;
  Prng rng(static_cast<uint64_t>(k * 64 + n));
  p.codes.resize(static_cast<size_t>(p.weight_rows() * k));
  p.q.resize(static_cast<size_t>(p.act_rows() * k));
  for (uint8_t& code : p.codes) code = static_cast<uint8_t>(rng.between(0, c.max_code));
  for (int8_t& q : p.q) q = static_cast<int8_t>(rng.between(c.q_min, 127));
  return p;
}

using Change = std::function<void(Problem&)>;
Problem with(Problem p, const Change& change) {
  change(p);
  return p;
}
Change codes(uint8_t code) {
  return [=](Problem& p) { std::ranges::fill(p.codes, code); };
}
Change codes_at_most(uint8_t code) {
  return [=](Problem& p) {
    for (uint8_t& c : p.codes) c = std::min(c, code);
  };
}
Change extreme(uint8_t code, int8_t q) {
  return [=](Problem& p) {
    std::ranges::fill(p.codes, code);
    std::ranges::fill(p.q, q);
  };
}
// Activations that cancel in pairs; the codes keep the product from doing so.
void zero_sum(Problem& p) {
  for (size_t i = 0; i < p.q.size(); ++i) p.q[i] = static_cast<int8_t>(i % 2 == 0 ? 3 + i % 90 : -3 - (i - 1) % 90);
}
void no_minimum(Problem& p) {
  for (int8_t& q : p.q) q = std::max<int8_t>(q, -127);
}

/// What a broken kernel must get right, get wrong, and not survive. `setting` is that of all its calls.
struct Sheet {
  std::vector<Problem> right;
  std::vector<Problem> wrong;
  std::vector<Problem> fatal;
  Setting right_in{};
  Setting wrong_in{};
};

Sheet sheet_of(const Bug& bug) {
  const Contract& c = bug.kernel.contract;
  const std::string_view name = bug.kernel.name;
  const auto any = [&](int64_t k, int32_t n = 1) { return dense(c, k, n); };
  const auto rows = [&](int32_t n) { return dense(c, 384, n); };
  if (name == "bug_layout_one_shape") return {{any(512), any(768)}, {any(640)}, {}};
  if (name == "bug_layout_one_model") return {{any(640), any(6784)}, {any(6912)}, {}};
  if (name.starts_with("bug_layout")) return {{with(any(512, 4), codes(2))}, {any(512, 4)}, {}};
  if (bug.diagnosis == "nrc-swapped") return {{rows(1)}, {rows(4)}, {}, {}, {Place::roomy}};
  if (bug.diagnosis == "out-stride") return {{rows(5)}, {with(rows(5), [](Problem& p) { p.out_stride = 3; })}, {}};
  if (bug.diagnosis == "int8-min") {
    return {{with(any(2560), no_minimum)}, {with(any(256), extreme(0, -128)), any(2560)}, {}};
  }
  if (bug.diagnosis == "int16-overflow") {
    const int64_t unit = c.k_multiple;
    return {{any(7040), with(any(16 * unit), extreme(2, 127)), with(any(10 * unit), extreme(3, -128))},
            {with(any(17 * unit), extreme(2, 127)), with(any(11 * unit), extreme(3, -128))},
            {}};
  }
  if (name == "bug_saturation_short_row_ssse3") {
    return {{with(any(512), codes_at_most(2)), any(640)}, {with(any(512), extreme(3, 127))}, {}};
  }
  if (bug.diagnosis == "saturation") {
    return {{with(any(2560), codes_at_most(2))}, {with(any(2560), extreme(3, 127)), any(2560)}, {}};
  }
  const auto padded = [&](int64_t w_pad, int64_t q_pad) {
    return with(rows(3), [=](Problem& p) {
      p.w_pad = w_pad;
      p.q_pad = q_pad;
    });
  };
  const auto scaled = [&](float w_scale, float act_scale) {
    return with(any(256, 4), [=](Problem& p) {
      p.w_scale = w_scale;
      p.act_scale = act_scale;
    });
  };
  const auto poke = [&](size_t position, uint8_t code) {
    return with(with(any(256), codes(0)), [=](Problem& p) { p.codes[position] = code; });
  };
  const auto one_hot = [&](size_t position) {
    return with(with(any(256), extreme(2, 0)), [=](Problem& p) { p.q[position] = 1; });
  };
  const std::map<std::string_view, Sheet> sheets = {
      {"bug_code_signs_exchanged", {{with(any(256), codes(1)), with(any(256), codes(3))}, {any(256)}, {}}},
      {"bug_code_3_as_weight_0", {{with(any(256), codes_at_most(2))}, {any(256)}, {}}},
      {"bug_code_zero_as_minus", {{with(any(256), codes(0)), with(any(256), codes(2))}, {any(256)}, {}}},
      {"bug_code_table_entry",
       {{with(any(4096), codes_at_most(2)), poke(0, 3)},
        {with(poke(0, 3),
              [](Problem& p) {
                p.codes[32] = 2;
                p.codes[64] = 1;
                p.q[96] = 1;
              })},
        {}}},
      {"bug_tail_odd_block", {{any(256), any(2560)}, {any(128), any(384)}, {}}},
      {"bug_tail_odd_block_fma", {{any(256), any(2560)}, {any(128), any(384)}, {}}},
      {"bug_tail_last_32",
       {{with(any(256), [](Problem& p) { std::fill_n(p.q.end() - 32, 32, int8_t{0}); })}, {any(128), any(384)}, {}}},
      {"bug_tail_last_64", {{any(128), any(2560)}, {any(64), any(192)}, {}}},
      {"bug_unit_first_dropped",
       {{with(any(384), [](Problem& p) { std::fill_n(p.codes.begin(), 128, uint8_t{0}); })}, {any(384), any(128)}, {}}},
      {"bug_unit_repeated", {{any(128)}, {any(256), any(384)}, {}}},
      {"bug_index_wrap_4096", {{any(4096)}, {any(4224), any(6912)}, {}}},
      {"bug_sparse_skip_activations", {{any(384), one_hot(3)}, {one_hot(16), one_hot(127)}, {}}},
      {"bug_sparse_skip_weights", {{any(384), poke(7, 1), poke(39, 1)}, {poke(8, 1), poke(127, 1)}, {}}},
      {"bug_row_stride_times_4", {{rows(1)}, {rows(4)}, {}, {}, {Place::roomy}}},
      {"bug_row_stride_assumed", {{rows(5)}, {padded(32, 0)}, {}}},
      {"bug_act_stride_assumed", {{rows(5)}, {padded(0, 32)}, {}}},
      {"bug_act_stride_zero", {{rows(1)}, {rows(4)}, {}}},
      {"bug_offset_centred_dot", {{with(any(256), zero_sum)}, {any(256)}, {}}},
      {"bug_offset_twice_gemv", {{with(any(256, 4), zero_sum)}, {any(256, 4)}, {}}},
      {"bug_offset_never_gemv", {{with(any(256, 4), zero_sum)}, {any(256, 4)}, {}}},
      {"bug_scale_next_row", {{with(scaled(0.5F, 4), [](Problem& p) { p.row0 = 3, p.n = 1; })}, {scaled(1, 1)}, {}}},
      {"bug_scale_weight_missing", {{scaled(1, 4)}, {scaled(0.5F, 4)}, {}}},
      {"bug_scale_act_missing", {{scaled(0.5F, 1)}, {scaled(0.5F, 4)}, {}}},
      {"bug_scale_weight_inverted", {{scaled(1, 4)}, {scaled(0.5F, 4)}, {}}},
      {"bug_scale_act_inverted", {{scaled(0.5F, 1)}, {scaled(0.5F, 4)}, {}}},
      {"bug_zero_shortcut", {{scaled(0.5F, 4)}, {with(scaled(0.5F, 4), zero_sum)}, {}}},
      {"bug_empty_body", {{}, {any(128), any(256)}, {}}},
      {"bug_shape_not_listed", {{any(256), any(2560)}, {any(384)}, {}}},
      {"bug_rows_leftover_dropped", {{rows(4), rows(8)}, {rows(1), rows(5)}, {}}},
      {"bug_over_read_weights", {{any(384)}, {}, {any(384)}, {Place::roomy}, {Place::end}}},
      {"bug_over_read_before", {{any(384)}, {}, {any(384)}, {Place::roomy}, {Place::start}}},
      {"bug_over_read_masked", {{any(256)}, {}, {any(192)}}},
      {"bug_over_write_register", {{any(384)}, {}, {any(384)}, {Place::roomy}, {Place::end}}},
      {"bug_over_write_tile", {{rows(4), rows(8)}, {}, {rows(3)}}},
      {"bug_input_written", {{}, {any(256)}, {}}},
      {"bug_uninitialised_register", {{any(384)}, {any(384)}, {}, {Place::end, 0}, {Place::end, 0x5A}}},
      {"bug_uninitialised_stack", {{any(384)}, {any(384)}, {}, {Place::end, 0}, {Place::end, 0x5A}}},
      {"bug_adds_to_output", {{}, {any(384)}, {}}},
      {"bug_misaligned_ssse3",
       {{any(384)}, {}, {with(any(384), [](Problem& p) { p.q_offset = 4; })}, {}, {Place::start}}},
      {"bug_hang_odd_block", {{any(256)}, {}, {any(384)}}},
      {"bug_null_call", {{}, {}, {any(256)}}},
      {"bug_crash_wild_pointer", {{}, {}, {any(256)}}},
      {"bug_crash_abort", {{any(256)}, {}, {any(384)}}},
      {"bug_crash_exit", {{any(256)}, {}, {any(384)}}},
  };
  const auto found = sheets.find(name);
  return found == sheets.end() ? Sheet{} : found->second;
}

class Museum : public testing::TestWithParam<Bug> {
 protected:
  void SetUp() override {
    const Kernel& kernel = GetParam().kernel;
    if (const std::string reason = why_not(kernel, detect()); !reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST_P(Museum, IsRightWithoutItsTriggerAndWrongWithIt) {
  const Kernel& kernel = GetParam().kernel;
  if (GetParam().diagnosis == "race" || GetParam().diagnosis == "clobbered-state") {
    GTEST_SKIP() << "its results are right: see the tests below";
  }
  const Sheet sheet = sheet_of(GetParam());
  ASSERT_FALSE(sheet.wrong.empty() && sheet.fatal.empty()) << "no trigger is written down for this bug";
  for (const Problem& p : sheet.right) {
    EXPECT_TRUE(is_right(kernel, p, sheet.right_in)) << "K = " << p.k << ", n = " << p.n;
    if (sheet.right_in.place == Place::end) {
      EXPECT_TRUE(is_right(kernel, p, {Place::start, sheet.right_in.poison})) << "K = " << p.k << ", n = " << p.n;
    }
  }
  for (const Problem& p : sheet.wrong) {
    EXPECT_FALSE(is_right(kernel, p, sheet.wrong_in)) << "K = " << p.k << ", n = " << p.n;
  }
  for (const Problem& p : sheet.fatal) {
    EXPECT_TRUE(is_fatal(kernel, p, sheet.wrong_in)) << "K = " << p.k << ", n = " << p.n;
  }
}

const Bug& bug_named(std::string_view name) {
  return *std::ranges::find(bugs(), name, [](const Bug& b) { return std::string_view(b.kernel.name); });
}

// Their results are right; what shows is beside them. A kernel with another defect is the control.
TEST(MuseumBesideResults, StateOfTheCaller) {
  const auto taken = [](std::string_view name) {
    const Bug& bug = bug_named(name);
    const Problem p = dense(bug.kernel.contract, 1280);
    EXPECT_TRUE(is_right(bug.kernel, p, {})) << name;
    return taken_from_caller(bug.kernel, p);
  };
  EXPECT_EQ(taken("bug_over_read_masked"), "");
  EXPECT_THAT(taken("bug_callee_saved"), testing::AnyOf("r14", "d9"));
  EXPECT_NE(taken("bug_mode_left").find("denormals"), std::string::npos);
}

TEST(MuseumBesideResults, CallsThatMeet) {
  const auto survives = [](std::string_view name) {
    const Bug& bug = bug_named(name);
    const Problem p = dense(bug.kernel.contract, 6912), other = dense(bug.kernel.contract, 1280);
    EXPECT_TRUE(is_right(bug.kernel, p, {}) && is_right(bug.kernel, other, {})) << name;
    return survives_itself(bug.kernel, p, other);
  };
  EXPECT_TRUE(survives("bug_over_read_masked"));
  EXPECT_FALSE(survives("bug_static_scratch"));
}

INSTANTIATE_TEST_SUITE_P(Bugs, Museum, testing::ValuesIn(bugs().begin(), bugs().end()),
                         [](const auto& bug) { return std::string(bug.param.kernel.name); });

}  // namespace
}  // namespace tritcheck
