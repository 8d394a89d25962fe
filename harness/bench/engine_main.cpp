// tritcheck-bench-engine: how fast the fast engine runs a model, and how near its parts are to what this machine can
// do.
//
//   tritcheck-bench-engine MODEL --benchmark_filter=linear
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "engine/fast/fast.h"
#include "harness/bench/loops/loops.h"
#include "harness/bench/timing.h"
#include "harness/bench/workload.h"
#include "harness/models/open_model.h"
#include "reference/prng.h"

namespace tritcheck::bench {
namespace {

using namespace engine;

constexpr int64_t kChunk = 1 << 16;  // bytes a thread takes at a time in a bare loop
constexpr int64_t kPrompt = Fast::kBatch;
constexpr int64_t kPosition = 32;  // tokens before those that are timed

bool g_refused = false;
std::atomic<int32_t> g_sink;  // what the bare loops return goes here, or they would be optimised away

// A model, and what every benchmark of it needs.
struct Bench {
  const Model& model;
  Plan plan;
  const Loops* loops;
  std::vector<float> acts;  // kPrompt rows of the widest k
};

// A bare loop over the bytes of some matrices, threads sharing them in chunks: nobody waits between matrices.
using Loop = int32_t (*)(const uint8_t*, int64_t);
double bare(Threads& threads, const std::vector<const Matrix*>& matrices, Loop loop) {
  std::vector<std::span<const uint8_t>> chunks;
  for (const Matrix* w : matrices) {
    const auto whole = w->bytes.first(w->bytes.size() / 256 * 256);
    for (size_t at = 0; at < whole.size(); at += kChunk)
      chunks.push_back(whole.subspan(at, std::min<size_t>(kChunk, whole.size() - at)));
  }
  return seconds([&] {
    threads.each(static_cast<int64_t>(chunks.size()), 1, [&](int64_t begin, int64_t end) {
      int32_t sum = 0;
      for (int64_t i = begin; i < end; ++i) {
        const auto& chunk = chunks[static_cast<size_t>(i)];
        sum += loop(chunk.data(), static_cast<int64_t>(chunk.size()));
      }
      g_sink += sum;
    });
  });
}

std::vector<const Matrix*> linear_layers(const Model& model) {
  std::vector<const Matrix*> out;
  for (const Layer& layer : model.layers) {
    for (const Matrix& w : layer.linear) out.push_back(&w);
  }
  return out;
}

double megabytes(const std::vector<const Matrix*>& matrices) {
  double bytes = 0;
  for (const Matrix* w : matrices) bytes += static_cast<double>(w->bytes.size());
  return bytes * 1e-6;
}

// One pass through all linear layers with their quantisation, as a layer of the graph calls them.
class LinearPass {
 public:
  LinearPass(const Products& products, const Bench& bench, int64_t tokens)
      : products_(products), bench_(bench), tokens_(tokens) {}

  void run() {
    for (const Layer& layer : bench_.model.layers) {
      multiply({&layer[Linear::q], &layer[Linear::k], &layer[Linear::v]});
      multiply({&layer[Linear::out]});
      multiply({&layer[Linear::up], &layer[Linear::gate]});
      multiply({&layer[Linear::down]});
    }
  }

 private:
  void multiply(std::initializer_list<const Matrix*> together) {
    const auto inputs = static_cast<size_t>(tokens_ * (*together.begin())->k);
    products_.prepare(std::span(bench_.acts).first(inputs), tokens_, together, acts_);
    for (const Matrix* w : together) products_.multiply(*w, acts_, y_);
    benchmark::DoNotOptimize(y_.data());
  }

  const Products& products_;
  const Bench& bench_;
  int64_t tokens_;
  Acts acts_;
  std::vector<float> y_;
};

bool refused(benchmark::State& state, const Bench& bench, int64_t tokens) {
  if (!bench.model.has_i2_s) return false;
  const auto wrong = why_wrong(tokens == 1 ? *bench.plan.one : *bench.plan.several);
  if (!wrong) return false;
  g_refused = true;
  state.SkipWithError(("not timed, because it is wrong: " + *wrong).c_str());
  return true;
}

void linear(benchmark::State& state, const Bench& bench, int count, int64_t tokens) {
  if (refused(state, bench, tokens)) return;
  Threads threads(count);
  const Products products(threads, bench.plan, Act::automatic);
  const auto matrices = linear_layers(bench.model);
  Samples time;
  Samples of_read;
  Samples of_unpack;
  Samples of_ceiling;
  LinearPass pass(products, bench, tokens);
  pass.run();  // brings the file into memory
  for (auto _ : state) {
    const double t = seconds([&] { pass.run(); });
    time.add(t);
    state.SetIterationTime(t);
    if (bench.loops == nullptr) continue;
    const double read = bare(threads, matrices, bench.loops->read);
    const double unpack = bare(threads, matrices, bench.loops->unpack) * static_cast<double>(tokens);
    of_read.add(read / t);
    of_unpack.add(unpack / t);
    of_ceiling.add(std::max(read, unpack) / t);
  }
  state.counters["tokens/s"] = static_cast<double>(tokens) / time.median();
  state.counters["GB/s"] = megabytes(matrices) * 1e-3 / time.median();
  if (bench.loops == nullptr || !bench.model.has_i2_s) return;
  state.counters["%read"] = 100 * of_read.median();
  state.counters["%unpack"] = 100 * of_unpack.median();
  state.counters["%ceiling"] = 100 * of_ceiling.median();
}

void output(benchmark::State& state, const Bench& bench, int count, int64_t tokens) {
  Threads threads(count);
  const Products products(threads, bench.plan, Act::automatic);
  const Matrix& w = bench.model.output;
  const auto x = std::span(bench.acts).first(static_cast<size_t>(tokens * w.k));
  Samples time;
  Samples of_read;
  std::vector<float> y;
  products.multiply_plain(w, x, tokens, y);
  for (auto _ : state) {
    const double t = seconds([&] { products.multiply_plain(w, x, tokens, y); });
    time.add(t);
    state.SetIterationTime(t);
    if (bench.loops != nullptr) of_read.add(bare(threads, {&w}, bench.loops->read) / t);
  }
  state.counters["tokens/s"] = static_cast<double>(tokens) / time.median();
  state.counters["GB/s"] = megabytes({&w}) * 1e-3 / time.median();
  if (bench.loops != nullptr) state.counters["%read"] = 100 * of_read.median();
}

// The whole engine. A decoded token ends in logits; of a prompt only the last has them.
void whole(benchmark::State& state, const Bench& bench, int count, int64_t tokens) {
  if (refused(state, bench, tokens)) return;
  Fast fast(bench.model, {.threads = count, .plan = bench.plan});
  Prng rng(3);
  std::vector<int32_t> ids;
  const auto vocab = static_cast<uint64_t>(bench.model.config.vocab);
  for (int64_t i = 0; i < std::max(tokens, kPosition); ++i) ids.push_back(static_cast<int32_t>(rng.below(vocab)));
  const auto nowhere = [](int64_t, std::span<const double>) {};
  fast.forward(std::span(ids).first(static_cast<size_t>(kPosition)), nowhere, kPosition);
  Samples time;
  for (auto _ : state) {
    fast.rewind(kPosition);
    const double t =
        seconds([&] { fast.forward(std::span(ids).first(static_cast<size_t>(tokens)), nowhere, tokens - 1); });
    time.add(t);
    state.SetIterationTime(t);
  }
  state.counters["tokens/s"] = static_cast<double>(tokens) / time.median();
}

void register_all(const Bench& bench) {
  using Part = void (*)(benchmark::State&, const Bench&, int, int64_t);
  const auto add = [&](const char* name, Part part, int threads, int64_t tokens) {
    benchmark::RegisterBenchmark(
        (std::string(name) + "/threads:" + std::to_string(threads)).c_str(),
        [&bench, part, threads, tokens](benchmark::State& state) { part(state, bench, threads, tokens); })
        ->UseManualTime()
        ->MinTime(1)
        ->Unit(benchmark::kMillisecond);
  };
  for (int threads = 1; threads <= one_per_core(); threads *= 2) {
    add("decode", whole, threads, 1);
    add("decode: linear layers", linear, threads, 1);
    add("decode: output matrix", output, threads, 1);
    add("prompt", whole, threads, kPrompt);
    add("prompt: linear layers", linear, threads, kPrompt);
  }
}

int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    std::fputs("tritcheck-bench-engine MODEL [--benchmark_filter=PART ...]\n", stderr);
    return kExitUsage;
  }
  const OpenModel open(argv[1], std::nullopt);
  const Model& model = open.model();
  const Features features = detect();
  Bench bench{model, plan_kernels("auto", model.layout, features, {}, kernels()), best_loops(features), {}};
  Prng rng(1);
  for (int64_t i = 0; i < kPrompt * std::max(model.config.embd, model.config.ff); ++i)
    bench.acts.push_back(static_cast<float>(rng.unit() - 0.5));
  benchmark::AddCustomContext("cpu features", to_string(features));
  benchmark::AddCustomContext("model", open.path());
  benchmark::AddCustomContext("kernels", bench.plan.text());
  benchmark::AddCustomContext(
      "columns",
      "GB/s of weights as they lie in the file; % of reading the same bytes, of the bare 2-bit loop over them once per "
      "token, and of the slower of the two (%ceiling), by the same threads, timed in turn; medians");
  register_all(bench);
  const size_t ran = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (ran == 0) return kExitNothingRan;  // Google Benchmark has said that nothing matches
  return g_refused ? kExitWrong : kExitPass;
}

}  // namespace
}  // namespace tritcheck::bench

int main(int argc, char** argv) try {
  return tritcheck::bench::run(argc, argv);
} catch (const tritcheck::UserError& e) {
  std::fprintf(stderr, "tritcheck-bench-engine: %s\n", e.what());
  return e.code();
} catch (const std::exception& e) {
  std::fprintf(stderr, "tritcheck-bench-engine: %s\n", e.what());
  return tritcheck::kExitInternal;
}
