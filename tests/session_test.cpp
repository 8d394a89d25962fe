// Workers: what they say, what they compute, and that nothing a kernel does to its worker gets lost or blames another.
#include "harness/targets/session.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

#include "corpora/bugs/bugs.h"
#include "harness/verify/verify.h"
#include "tests/session_requests.h"
#include "tests/targets.h"

namespace tritcheck {
namespace {

using std::chrono::steady_clock;

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

class SessionTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = why_absent(GetParam()); !why.empty()) GTEST_SKIP() << why;
    target_ = resolve_target(GetParam());
    session_ = open_session(target_, {.isa = {}, .wall_limit_factor = 10});
  }
  CallResult call(const CallRequest& request) { return session_->run({&request, 1}).at(0); }
  CallResult call(const std::string& kernel, int64_t k) { return call(dot_request(*session_, kernel, k)); }
  void expect_good_call_works() {
    const auto request = dot_request(*session_, kGood, 384);
    const auto result = call(request);
    ASSERT_EQ(result.status, CallStatus::returned) << result.note;
    EXPECT_EQ(result.out_a, std::vector{expected(request)});
    EXPECT_EQ(result.out_b, std::vector{expected(request)});
  }

  Target target_;
  std::unique_ptr<Executor> session_;
};

TEST_P(SessionTest, SaysHello) {
  const WorkerInfo& info = session_->info();
  EXPECT_EQ(info.schema, wire::kSchema);
  ASSERT_EQ(info.kernels.size(), kernels().size() + bugs().size())
      << "the runner is older than this test: build it too";
  EXPECT_EQ(info.arch, target_.arch.empty() ? info.arch : target_.arch);
  EXPECT_NE(info.compiler, "");
  int selected = 0;
  for (size_t i = 0; i < info.kernels.size(); ++i) {
    const KernelInfo& kernel = info.kernels[i];
    EXPECT_EQ(kernel.name, i < kernels().size() ? kernels()[i].name : bugs()[i - kernels().size()].kernel.name);
    EXPECT_EQ(kernel.runnable, kernel.why_not.empty()) << kernel.name;
    EXPECT_EQ(kernel.is_bug, i >= kernels().size()) << kernel.name;
    EXPECT_TRUE(kernel.runnable || !kernel.selected) << kernel.name;
    selected += kernel.selected && kernel.contract.op == Op::dot && kernel.contract.layout == Layout::x86_128;
  }
  EXPECT_EQ(selected, 1);
}

TEST_P(SessionTest, AllowListDecidesWhatIsSelected) {
  const auto scalar = open_session(target_, {.isa = {"scalar"}, .wall_limit_factor = 10});
  for (const KernelInfo& kernel : scalar->info().kernels) {
    EXPECT_TRUE(!kernel.selected || kernel.isa == Isa::scalar) << kernel.name;
  }
  EXPECT_TRUE(scalar->info().kernels[index_of(*scalar, kGood)].selected);
}

TEST_P(SessionTest, GuardedAndPlainCallsAgreeWithTheReference) {
  std::vector<CallRequest> requests;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    auto& request = requests.emplace_back(dot_request(*session_, kGood, 128 * (1 + seed), seed));
    request.guarded = seed % 2 == 0;
    request.w_offset = seed % 7;
    request.q_offset = seed % 5;
    request.out_offset = 4 * (seed % 3);
  }
  const auto results = session_->run(requests);
  ASSERT_EQ(results.size(), requests.size());
  for (size_t i = 0; i < results.size(); ++i) {
    ASSERT_EQ(results[i].status, CallStatus::returned) << results[i].note;
    EXPECT_EQ(results[i].out_a, std::vector{expected(requests[i])});
    EXPECT_EQ(results[i].out_b, requests[i].guarded ? results[i].out_a : std::vector<uint32_t>{});
    EXPECT_EQ(results[i].bytes_before + results[i].bytes_after, 0);
    EXPECT_EQ(results[i].changed, Buffer::none);
  }
}

// The float argument must survive the poisoning of the register it is passed in.
TEST_P(SessionTest, GemvGetsItsScales) {
  auto request = dot_request(*session_, kGood, 256);
  const auto dot = i2_s::dot_explicit(Layout::x86_128, {256, 1}, request.weights, 0, request.activations);
  request.kernel = index_of(*session_, "i2_s_x86_128_gemv_scalar");
  request.m = request.nrows = 1;
  request.act_scale = 0.25F;
  request.act_sum = std::accumulate(request.activations.begin(), request.activations.end(), 0);
  request.weights.resize(request.weights.size() + i2_s::kTailBytes);
  i2_s::store_scale({256, 1}, request.weights, 8.0F);
  const auto result = call(request);
  ASSERT_EQ(result.status, CallStatus::returned) << result.note;
  EXPECT_EQ(std::bit_cast<float>(result.out_a.at(0)), static_cast<float>(dot.centred) * 32.0F);
  EXPECT_EQ(result.out_b, result.out_a);
}

TEST_P(SessionTest, EmptyBodyLeavesBothCanaries) {
  const auto result = call("bug_empty_body", 256);
  ASSERT_EQ(result.status, CallStatus::returned) << result.note;
  EXPECT_EQ(result.out_a, std::vector{kCanaryA});
  EXPECT_EQ(result.out_b, std::vector{kCanaryB});
}

TEST_P(SessionTest, OverReadIsLocated) {
  const auto behind = call("bug_over_read_weights", 256);
  ASSERT_EQ(behind.status, CallStatus::crashed) << behind.note;
  EXPECT_EQ(behind.signal, SIGSEGV);
  EXPECT_EQ(behind.run, 'A');
  EXPECT_EQ(behind.fault_buffer, Buffer::weights);
  EXPECT_GE(behind.fault_distance, 0);
  EXPECT_LT(behind.fault_distance, 32);
  EXPECT_FALSE(behind.fault_write);
  EXPECT_FALSE(behind.fault_inside);

  const auto before = call("bug_over_read_before", 256);
  ASSERT_EQ(before.status, CallStatus::crashed) << before.note;
  EXPECT_EQ(before.run, 'B');
  EXPECT_EQ(before.fault_buffer, Buffer::activations);
  EXPECT_EQ(before.fault_distance, -1);

  auto plain = dot_request(*session_, "bug_over_read_weights", 256);
  plain.guarded = false;
  EXPECT_EQ(call(plain).out_a, std::vector{expected(plain)});
  expect_good_call_works();
}

TEST_P(SessionTest, OverWriteIsLocated) {
  const auto result = call("bug_over_write_register", 256);
  ASSERT_EQ(result.status, CallStatus::crashed) << result.note;
  EXPECT_EQ(result.fault_buffer, Buffer::output);
  EXPECT_GE(result.fault_distance, 0);
  EXPECT_LT(result.fault_distance, 8);
  EXPECT_TRUE(result.fault_write);
}

TEST_P(SessionTest, AWrittenInputIsReported) {
  const auto result = call("bug_input_written", 256);
  ASSERT_EQ(result.status, CallStatus::returned) << result.note;
  EXPECT_EQ(result.changed, Buffer::activations);
}

TEST_P(SessionTest, RegistersAndStackArePoisoned) {
  const auto reg = dot_request(*session_, "bug_uninitialised_register", 256);
  const auto from_register = call(reg);
  ASSERT_EQ(from_register.status, CallStatus::returned) << from_register.note;
  EXPECT_EQ(from_register.out_a.at(0) - expected(reg), kPoison1);
  EXPECT_EQ(from_register.out_b.at(0) - expected(reg), kPoison2);

  const auto stack = dot_request(*session_, "bug_uninitialised_stack", 256);
  const auto from_stack = call(stack);
  ASSERT_EQ(from_stack.status, CallStatus::returned) << from_stack.note;
  // as many words of the stack as the kernel forgot to clear, and they alone
  uint32_t words = 1;
  while (words < 1000 && words * kPoison1 != from_stack.out_a.at(0) - expected(stack)) ++words;
  EXPECT_LT(words, 1000U);
  EXPECT_EQ(from_stack.out_b.at(0) - expected(stack), words * kPoison2);
}

TEST_P(SessionTest, NullCallIsRecognised) {
  const auto result = call("bug_null_call", 256);
  ASSERT_EQ(result.status, CallStatus::crashed) << result.note;
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_TRUE(result.null_pc);
  EXPECT_EQ(result.fault_buffer, Buffer::none);
  expect_good_call_works();
}

TEST_P(SessionTest, CrashesElsewhereBelongToNoBuffer) {
  const auto wild = call("bug_crash_wild_pointer", 256);
  ASSERT_EQ(wild.status, CallStatus::crashed) << wild.note;
  EXPECT_EQ(wild.fault_buffer, Buffer::none);
  const auto abort = call("bug_crash_abort", 128);
  ASSERT_EQ(abort.status, CallStatus::crashed) << abort.note;
  EXPECT_EQ(abort.signal, SIGABRT);
  const auto exit = call("bug_crash_exit", 128);
  EXPECT_EQ(exit.status, CallStatus::lost);
  EXPECT_EQ(exit.note, "the kernel ended the process (exit code 1)");
  expect_good_call_works();
}

TEST_P(SessionTest, MisalignedAccessHasNoAddress) {
  if (target_.emulated || !session_->info().kernels[index_of(*session_, "bug_misaligned_ssse3")].runnable) {
    GTEST_SKIP() << "emulators do not check the alignment of SSE loads, other architectures have none";
  }
  auto request = dot_request(*session_, "bug_misaligned_ssse3", 256);
  request.q_offset = 1;
  const auto result = call(request);
  ASSERT_EQ(result.status, CallStatus::crashed) << result.note;
  EXPECT_TRUE(result.no_address);
  EXPECT_EQ(result.fault_buffer, Buffer::none);
}

TEST_P(SessionTest, AHangEndsAtTheCpuLimit) {
  auto request = dot_request(*session_, "bug_hang_odd_block", 128);
  request.cpu_limit_ms = 200;
  const auto start = steady_clock::now();
  const auto result = call(request);
  EXPECT_EQ(result.status, CallStatus::timed_out) << result.note;
  EXPECT_EQ(result.note, "more than 200 ms of CPU time");
  EXPECT_GE(seconds_since(start), 0.15);
  expect_good_call_works();
}

// Stops the child of this process that computes, once there is one.
void stop_computing_child() {
  for (int tries = 0; tries < 1000; ++tries) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string pid = entry.path().filename();
      if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
      std::ifstream stat(entry.path() / "stat");
      const std::string text(std::istreambuf_iterator<char>(stat), {});
      int parent = 0;
      char state = 0;
      const size_t name_end = text.rfind(')');
      if (name_end == std::string::npos || std::sscanf(&text[name_end], ") %c %d", &state, &parent) != 2) continue;
      if (parent == getpid() && state == 'R' && kill(std::stoi(pid), SIGSTOP) == 0) return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// A worker that uses no CPU time and does not react either.
TEST_P(SessionTest, AStoppedWorkerEndsAtTheWallLimit) {
  const auto impatient = open_session(target_, {.isa = {}, .wall_limit_factor = 1});
  auto request = dot_request(*impatient, "bug_hang_odd_block", 128);
  request.cpu_limit_ms = 1000;
  std::jthread stopper(stop_computing_child);
  const auto result = impatient->run({&request, 1}).at(0);
  EXPECT_EQ(result.status, CallStatus::timed_out) << result.note;
  EXPECT_TRUE(result.note.starts_with("no answer for ")) << result.note;
}

TEST_P(SessionTest, ABatchBlamesExactlyTheCallThatCrashed) {
  constexpr size_t kCalls = 1000;
  for (const std::string bug : {"bug_crash_abort", "bug_crash_exit"}) {
    std::vector<CallRequest> requests;
    for (size_t i = 0; i < kCalls; ++i) {
      // K = 128 is what these two cannot bear
      requests.push_back(dot_request(*session_, bug, i == 567 ? 128 : 256, static_cast<uint32_t>(i)));
    }
    const auto results = session_->run(requests);
    ASSERT_EQ(results.size(), kCalls);
    for (size_t i = 0; i < kCalls; ++i) {
      if (i == 567) {
        EXPECT_EQ(results[i].status, bug == "bug_crash_abort" ? CallStatus::crashed : CallStatus::lost);
      } else {
        ASSERT_EQ(results[i].status, CallStatus::returned) << bug << ' ' << i << ' ' << results[i].note;
        ASSERT_EQ(results[i].out_a, std::vector{expected(requests[i])}) << bug << ' ' << i;
      }
    }
  }
}

TEST_P(SessionTest, MixedBatchesKeepTheirOrder) {
  std::vector<CallRequest> requests;
  for (int i = 0; i < 12; ++i) {
    requests.push_back(dot_request(*session_, kGood, 256, static_cast<uint32_t>(i)));
    requests.push_back(dot_request(*session_, i % 2 == 0 ? "bug_null_call" : "bug_crash_exit", 128));
  }
  const auto results = session_->run(requests);
  for (size_t i = 0; i < results.size(); i += 2) {
    EXPECT_EQ(results[i].out_a, std::vector{expected(requests[i])}) << i;
    EXPECT_EQ(results[i + 1].status, i % 4 == 0 ? CallStatus::crashed : CallStatus::lost) << i;
  }
}

TEST_P(SessionTest, LargeRequestsDoNotBlock) {
  std::vector<CallRequest> requests;
  for (uint32_t i = 0; i < 24; ++i) requests.push_back(dot_request(*session_, kGood, int64_t{1} << 18, i));
  const auto results = session_->run(requests);
  for (size_t i = 0; i < results.size(); ++i) {
    ASSERT_EQ(results[i].status, CallStatus::returned) << results[i].note;
    EXPECT_EQ(results[i].out_b, std::vector{expected(requests[i])});
  }
}

TEST_P(SessionTest, KernelsThatCannotRunAreNotCalled) {
  for (const KernelInfo& kernel : session_->info().kernels) {
    if (kernel.runnable || kernel.contract.op != Op::dot) continue;
    auto request = dot_request(*session_, kernel.name, 256);
    const auto refused = call(request);
    EXPECT_EQ(refused.status, CallStatus::lost);
    EXPECT_EQ(refused.note, "not called: " + kernel.why_not);
    if (kernel.via == Via::absent) continue;
    request.force = true;
    const auto forced = call(request);
    EXPECT_EQ(forced.status, CallStatus::crashed) << kernel.name;
    EXPECT_EQ(forced.signal, SIGILL) << kernel.name;
  }
  expect_good_call_works();
}

INSTANTIATE_TEST_SUITE_P(Targets, SessionTest, testing::Values("local", "qemu:cortex-a53", "qemu:x86_64/Conroe"),
                         [](const auto& target) {
                           std::string name = target.param;
                           for (char& c : name) c = isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           return name;
                         });

TEST(Session, KillingAllWorkersEndsSessionsForGood) {
  const auto session = open_session(resolve_target("local"));
  const auto request = dot_request(*session, kGood, 256);
  EXPECT_EQ(session->run({&request, 1}).at(0).status, CallStatus::returned);
  kill_all_workers();
  const auto after = session->run({&request, 1}).at(0);
  EXPECT_EQ(after.status, CallStatus::lost);
  EXPECT_EQ(after.note, "interrupted");
  EXPECT_EQ(open_session(resolve_target("local"))->run({&request, 1}).at(0).status, CallStatus::returned);
}

TEST(Session, ATargetThatDoesNotStartIsAUserError) {
  Target target = resolve_target("local");
  target.runner = "/bin/false";
  try {
    open_session(target);
    FAIL() << "no exception";
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), kExitNoDevice);
    EXPECT_STREQ(error.what(), "target local: the runner ended when it started (exit code 1)");
  }
}

TEST(Session, WorkersCountTheirCpuTime) {
  const double before = workers_cpu_seconds();
  {
    const auto session = open_session(resolve_target("local"));
    auto request = dot_request(*session, "bug_hang_odd_block", 128);
    request.cpu_limit_ms = 300;
    session->run({&request, 1});
  }
  EXPECT_GE(workers_cpu_seconds() - before, 0.25);
  EXPECT_LE(workers_cpu_seconds() - before, 3.0);
}

}  // namespace
}  // namespace tritcheck
