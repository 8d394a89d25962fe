// tritcheck-bench: how fast the kernels are, and how near to what this machine can do.
//
//   tritcheck-bench --benchmark_filter='avx2/L2'
#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <string>

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
Workload& workload(int64_t bytes) {
  static std::unique_ptr<Workload> current;
  if (current == nullptr || current->bytes() != bytes) {
    current.reset();
    current = std::make_unique<Workload>(bytes);
  }
  return *current;
}

void run(benchmark::State& state, const Kernel& kernel, int64_t bytes, const Loops* loops) {
  static std::map<std::string_view, std::optional<std::string>> verdicts;
  if (!verdicts.contains(kernel.name)) verdicts[kernel.name] = why_wrong(kernel);
  if (const auto& wrong = verdicts[kernel.name]) {
    g_refused = true;
    state.SkipWithError(("not timed, because it is wrong: " + *wrong).c_str());
    return;
  }
  Workload& work = workload(bytes);
  const auto times = static_cast<int>(std::max<int64_t>(1, kRoundBytes / bytes));
  const auto timed = [&](auto&& call) {
    return seconds([&] {
      for (int i = 0; i < times; ++i) call();
    });
  };
  const auto timed_loop = [&](auto&& loop) { return timed([&] { g_sink = g_sink ^ loop(); }); };
  const double acts = kernel.contract.op == Op::acts ? kActs : 1;

  Samples kernel_time;
  Samples of_multiply;
  Samples of_unpack;
  Samples of_read;
  work.pass(kernel);  // the first touches everything
  for (auto _ : state) {
    const double t = timed([&] { work.pass(kernel); });
    kernel_time.add(t);
    state.SetIterationTime(t);
    if (loops == nullptr) continue;
    of_multiply.add(timed_loop([&] { return loops->multiply(bytes); }) * acts / t);
    of_unpack.add(timed_loop([&] { return loops->unpack(work.weights(), bytes); }) * acts / t);
    of_read.add(timed_loop([&] { return loops->read(work.weights(), bytes); }) / t);
  }
  const double gigabytes = static_cast<double>(bytes) * times * 1e-9;
  state.counters["GB/s"] = gigabytes / kernel_time.median();
  state.counters["GMAC/s"] = gigabytes * 4 * acts / kernel_time.median();
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
