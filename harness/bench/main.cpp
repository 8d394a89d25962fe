// tritcheck-bench: how fast the kernels are, and how near to what this machine can do.
//
//   tritcheck-bench --benchmark_filter='avx2/L2'
//   tritcheck-bench --lib PATH/libggml-cpu.so        our dot products of blocks beside that library's
#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "harness/bench/blocks_workload.h"
#include "harness/bench/compare.h"
#include "harness/bench/direct_blocks.h"
#include "harness/bench/loops/loops.h"
#include "harness/bench/timing.h"
#include "harness/bench/workload.h"
#include "kernels/features.h"

namespace tritcheck::bench {
namespace {

struct Size {
  const char* name;
  int64_t bytes;
};
constexpr Size kSizes[] = {{"L1", 16 << 10}, {"L2", 256 << 10}, {"memory", 256 << 20}};
// The clock is only good for calls of some microseconds, so small tensors are walked several times per round.
constexpr int64_t kRoundBytes = 1 << 20;

bool g_refused = false;
volatile int32_t g_sink;  // what the bare loops return goes here, or they would be optimised away

// One at a time is kept: the large one is a quarter of a gigabyte.
std::unique_ptr<Workload> g_work;
std::unique_ptr<BlocksWorkload> g_blocks_work;

Workload& workload(int64_t bytes) {
  g_blocks_work.reset();
  if (g_work == nullptr || g_work->bytes() != bytes) {
    g_work.reset();
    g_work = std::make_unique<Workload>(bytes);
  }
  return *g_work;
}

BlocksWorkload& blocks_workload(ggml::Type type, int64_t bytes) {
  static int64_t asked = 0;  // of which whole rows are made
  g_work.reset();
  if (g_blocks_work == nullptr || g_blocks_work->type() != type || asked != bytes) {
    g_blocks_work.reset();
    g_blocks_work = std::make_unique<BlocksWorkload>(type, bytes);
    asked = bytes;
  }
  return *g_blocks_work;
}

// What is timed, and how much it is.
struct Timed {
  std::function<void()> pass;
  const uint8_t* bytes;
  int64_t size;
  double products;  // weights times activation rows
};

Timed prepare(const Kernel& kernel, int64_t bytes) {
  if (kernel.contract.op == Op::vec_dot) {
    BlocksWorkload& work = blocks_workload(direct::ternary_type(kernel.format), bytes);
    return {[&work, &kernel] { work.pass(kernel.vec_dot); }, work.data(), work.bytes(),
            static_cast<double>(work.weights())};
  }
  Workload& work = workload(bytes);
  const double acts = kernel.contract.op == Op::acts ? kActs : 1;
  return {[&work, &kernel] { work.pass(kernel); }, work.weights(), bytes, static_cast<double>(bytes) * 4 * acts};
}

std::optional<std::string> verdict(const Kernel& kernel) {
  if (kernel.contract.op != Op::vec_dot) return why_wrong(kernel);
  return blocks_workload(direct::ternary_type(kernel.format), kSizes[1].bytes).why_wrong(kernel.name, kernel.vec_dot);
}

void run(benchmark::State& state, const Kernel& kernel, int64_t bytes, const Loops* loops) {
  static std::map<std::string_view, std::optional<std::string>> verdicts;
  if (!verdicts.contains(kernel.name)) verdicts[kernel.name] = verdict(kernel);
  if (const auto& wrong = verdicts[kernel.name]) {
    g_refused = true;
    state.SkipWithError(("not timed, because it is wrong: " + *wrong).c_str());
    return;
  }
  const Timed work = prepare(kernel, bytes);
  const auto times = static_cast<int>(std::max<int64_t>(1, kRoundBytes / bytes));
  const auto timed = [&](auto&& call) {
    return seconds([&] {
      for (int i = 0; i < times; ++i) call();
    });
  };
  const auto timed_loop = [&](auto&& loop) { return timed([&] { g_sink = g_sink ^ loop(); }); };
  // the bare loops of two bits a weight take one activation row
  const double acts = kernel.contract.op == Op::acts ? kActs : 1;
  const auto two_bits = static_cast<int64_t>(work.products / acts / 4);

  Samples kernel_time;
  Samples of_multiply;
  Samples of_unpack;
  Samples of_read;
  work.pass();  // the first touches everything
  for (auto _ : state) {
    const double t = timed(work.pass);
    kernel_time.add(t);
    state.SetIterationTime(t);
    if (loops == nullptr) continue;
    of_multiply.add(timed_loop([&] { return loops->multiply(two_bits); }) * acts / t);
    of_unpack.add(timed_loop([&] { return loops->unpack(work.bytes, two_bits); }) * acts / t);
    of_read.add(timed_loop([&] { return loops->read(work.bytes, work.size / 256 * 256); }) / t);
  }
  state.counters["GB/s"] = static_cast<double>(work.size) * times * 1e-9 / kernel_time.median();
  state.counters["GMAC/s"] = work.products * times * 1e-9 / kernel_time.median();
  if (loops == nullptr) return;
  state.counters[std::string("%") + loops->multiply_name] = 100 * of_multiply.median();
  state.counters["%unpack"] = 100 * of_unpack.median();
  state.counters["%read"] = 100 * of_read.median();
}

void register_all(const Features& features) {
  const Loops* loops = best_loops(features);
  for (const Size& size : kSizes) {
    for (const Kernel& kernel : kernels()) {
      if (!why_not(kernel, features).empty()) continue;
      const std::string name = std::string(kernel.name) + (kernel.via == Via::simde ? "(simde)/" : "/") + size.name;
      benchmark::RegisterBenchmark(name.c_str(), [&kernel, bytes = size.bytes,
                                                  loops](benchmark::State& state) { run(state, kernel, bytes, loops); })
          ->UseManualTime()
          ->MinTime(0.2)
          ->Unit(benchmark::kMicrosecond);
    }
  }
}

}  // namespace
}  // namespace tritcheck::bench

int main(int argc, char** argv) try {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (argc == 3 && first == "--lib") return tritcheck::bench::compare_with_library(argv[2], tritcheck::detect());
  if (argc == 2 && first.starts_with("--lib=")) {
    return tritcheck::bench::compare_with_library(argv[1] + 6, tritcheck::detect());
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 4;
  const tritcheck::Features features = tritcheck::detect();
  benchmark::AddCustomContext("cpu features", tritcheck::to_string(features));
  benchmark::AddCustomContext("K", std::to_string(tritcheck::bench::kK));
  benchmark::AddCustomContext(
      "columns",
      "GB/s of packed weights; % of the bare multiplies, of the bare 2-bit unpack loop and of the "
      "read bandwidth at this size, each timed in turn with the kernel; medians");
  tritcheck::bench::register_all(features);
  const size_t ran = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (ran == 0) return 3;  // Google Benchmark has said that nothing matches
  return tritcheck::bench::g_refused ? 1 : 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "tritcheck-bench: %s\n", e.what());
  return 7;
}
