#include "harness/bench/compare.h"

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "harness/base/error.h"
#include "harness/bench/blocks_workload.h"
#include "harness/bench/direct_blocks.h"
#include "harness/bench/timing.h"
#include "harness/runner/channel.h"
#include "harness/runner/library/library.h"
#include "kernels/dispatch.h"

namespace tritcheck {

// How the code that loads libraries, a part of the runner, ends here.
void fail(const std::string& message, int) {
  throw std::runtime_error(message);
}

namespace bench {
namespace {

constexpr int kRuns = 9;
constexpr int64_t kRoundBytes = 4 << 20;  // small tensors are walked several times per round, for the clock's sake

struct Size {
  const char* name;
  int64_t bytes;
  int rounds;
};
constexpr Size kSizes[] = {{"L1", 16 << 10, 101}, {"L2", 256 << 10, 101}, {"memory", 256 << 20, 7}};

struct Side {
  std::string name;
  tritcheck_vec_dot_fn* function = nullptr;
};

// Their times over ours, and our own over our own: medians of successive rounds, several runs of them.
struct Outcome {
  Samples ratio;
  double lowest = HUGE_VAL;
  double highest = 0;
  double noise = 0;  // how far from 1 a run of ours against ours came out, at most
  Samples ours;      // seconds of a round
  Samples theirs;
};

Outcome race(BlocksWorkload& work, const Side& ours, const Side& theirs, int rounds) {
  const auto times = static_cast<int>(std::max<int64_t>(1, kRoundBytes / work.bytes()));
  const auto timed = [&](const Side& side) {
    return seconds([&] {
      for (int i = 0; i < times; ++i) work.pass(side.function);
    });
  };
  // the second of two is not always the same one
  const auto ratio = [&](const Side& a, const Side& b, bool turned) {
    const double first = timed(turned ? b : a);
    const double second = timed(turned ? a : b);
    return turned ? std::pair(second, first) : std::pair(first, second);
  };
  Outcome out;
  for (int run = 0; run < kRuns; ++run) {
    Samples between;
    Samples alone;
    for (int round = 0; round < rounds; ++round) {
      const auto [a, b] = ratio(ours, theirs, round % 2 != 0);
      between.add(b / a);
      out.ours.add(a);
      out.theirs.add(b);
      const auto [one, again] = ratio(ours, ours, round % 2 != 0);
      alone.add(again / one);
    }
    out.ratio.add(between.median());
    out.lowest = std::min(out.lowest, between.median());
    out.highest = std::max(out.highest, between.median());
    out.noise = std::max(out.noise, std::fabs(alone.median() - 1));
  }
  return out;
}

const char* word(const Outcome& o) {
  const double ratio = o.ratio.median();
  if (std::fabs(ratio - 1) <= o.noise) return "no difference";
  return ratio > 1 ? "ours is faster" : "theirs is faster";
}

// Returns whether both are right.
bool compare(const Side& ours, const Side& theirs, ggml::Type type) {
  for (const Size& size : kSizes) {
    BlocksWorkload work(type, size.bytes);
    for (const Side* side : {&ours, &theirs}) {
      if (const auto wrong = work.why_wrong(side->name, side->function)) {
        std::printf("  %-7s not timed, because it is wrong: %s\n", size.name, wrong->c_str());
        return false;
      }
    }
    const Outcome o = race(work, ours, theirs, size.rounds);
    const auto speed = [&](const Samples& s) {
      const auto times = static_cast<double>(std::max<int64_t>(1, kRoundBytes / work.bytes()));
      return static_cast<double>(work.weights()) * times * 1e-9 / s.median();
    };
    std::printf("  %-7s %8.1f %8.1f    %6.3f  %6.3f to %.3f    %5.3f   %s\n", size.name, speed(o.ours), speed(o.theirs),
                o.ratio.median(), o.lowest, o.highest, o.noise, word(o));
    std::fflush(stdout);
  }
  return true;
}

}  // namespace

int compare_with_library(const std::string& path, const Features& features) {
  LoadedLibrary library;
  try {
    library = load_library(path);
  } catch (const std::runtime_error& e) {
    std::fprintf(stderr, "tritcheck-bench: %s: %s\n", path.c_str(), e.what());
    return kExitBadFile;
  }
  std::printf(
      "%s %s\n%d runs of rounds in which the two take turns, K = %lld; ratio: their time over ours, median of the "
      "runs'\n"
      "medians, and their range; noise: how far ours against ours came out from 1 at most. A difference below the "
      "noise\n"
      "is none.\n",
      path.c_str(), library.info.version.c_str(), kRuns, static_cast<long long>(kK));
  bool ran = false;
  bool right = true;
  for (size_t i = 0; i < library.kernels.size(); ++i) {
    const KernelInfo& k = library.kernels[i];
    const Kernel* best =
        k.contract.op == Op::vec_dot ? select_vec_dot(k.format, features, isa_from_environment()) : nullptr;
    if (best == nullptr || best->acts != k.acts || k.name.ends_with("_generic")) continue;
    std::printf("\n%s\n  against %s\n", k.name.c_str(), std::string(best->name).c_str());
    if (!k.runnable) {
      std::printf("  not timed: %s\n", k.why_not.c_str());
      continue;
    }
    std::puts("          GMAC/s: ours   theirs     ratio        range       noise");
    right &= compare({std::string(best->name), best->vec_dot}, {k.name, library.functions[i].function.vec_dot},
                     direct::ternary_type(k.format));
    ran = true;
  }
  if (!right) return kExitWrong;
  if (ran) return kExitPass;
  std::fputs("tritcheck-bench: nothing in this library to compare: no tq1_0 or tq2_0 dot product that can run\n",
             stderr);
  return kExitNothingRan;
}

}  // namespace bench
}  // namespace tritcheck
