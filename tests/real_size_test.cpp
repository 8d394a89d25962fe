// The engine at the size of a real model: a file of exactly the shape of BitNet-b1.58-2B-4T, with random weights. It
// takes 1.2 GB of disk and minutes, so it runs only if TRITCHECK_LONG_TESTS is set (ci/soak does).
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "engine/fast/fast.h"
#include "harness/models/open_model.h"
#include "harness/paris/paris.h"
#include "kernels/features.h"
#include "reference/prng.h"
#include "tests/shell.h"

namespace tritcheck {
namespace {

using namespace engine;
using namespace testing;

constexpr double kMegabyte = 1 << 20;

// Memory that belongs to this process alone, in MiB: neither the file nor the program.
double anonymous_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kib = 0;
    if (word == "RssAnon:" && status >> kib) return kib / 1024;
  }
  ADD_FAILURE() << "/proc/self/status has no RssAnon";
  return 0;
}

TEST(RealSize, LoadsInPlaceRunsInLittleMemoryAndEveryOperationIsExact) {
  if (std::getenv("TRITCHECK_LONG_TESTS") == nullptr) GTEST_SKIP() << "set TRITCHECK_LONG_TESTS=1 to run this";
  const TempFolder dir;
  const std::string path = dir.path("2b.gguf");
  const Ran made = shell_in(dir.path(), TRITCHECK_BINARY_DIR "/bin/synthetic_model " + path, dir.path());
  ASSERT_EQ(made.code, 0) << made.err;

  const double before = anonymous_memory();
  const OpenModel open(path, std::nullopt);
  const Model& model = open.model();
  EXPECT_EQ(model.config.vocab, 128256);
  EXPECT_EQ(model.layers.size(), 30U);
  EXPECT_TRUE(model.tied);

  Fast fast(model, {.threads = one_per_core(), .plan = plan_kernels("auto", model.layout, detect(), {}, kernels())});
  std::vector<int32_t> ids(64);
  Prng rng(1);
  for (int32_t& id : ids) id = static_cast<int32_t>(rng.below(128256));
  const auto nowhere = [](int64_t, std::span<const double>) {};
  fast.forward(ids, nowhere);
  for (int i = 0; i < 4; ++i) fast.forward(std::span(ids).first(1), nowhere);
  const double kv_cache = 2.0 * 30 * 640 * 68 * sizeof(float) / kMegabyte;
  EXPECT_LT(anonymous_memory() - before, kv_cache + 200);

  // Random weights make a graph in which one code at a rounding tie changes everything behind it, so the logits say
  // nothing; but every operation by itself must be exact.
  ParisOptions options;
  options.model = path;
  options.layout = Layout::x86_128;
  options.prompts = {"word300 word301"};
  options.tokens = 1;
  const ParisReport report = paris(options, {});
  EXPECT_EQ(report.died, "");
  EXPECT_TRUE(report.exactness.exact());
  EXPECT_GT(report.exactness.integer_results, 10000000);
  EXPECT_EQ(report.health.health, Health::broken_model);
  open.check_unchanged();
}

}  // namespace
}  // namespace tritcheck
