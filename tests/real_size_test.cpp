// The engine at the size of a real model: a file of exactly the shape of BitNet-b1.58-2B-4T, with random weights. It
// takes 1.2 GB of disk and minutes, so it runs only if TRITCHECK_LONG_TESTS is set (ci/soak does).
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "engine/fast/fast.h"
#include "engine/golden/golden.h"
#include "engine/verdict/metrics.h"
#include "harness/open_model.h"
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

TEST(RealSize, LoadsInPlaceRunsInLittleMemoryAndAgreesWithGolden) {
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
  Golden golden(model, {.threads = one_per_core()});
  Prng rng(1);
  std::vector<int32_t> ids;
  for (int i = 0; i < 8; ++i) ids.push_back(static_cast<int32_t>(rng.below(128256)));

  std::vector<std::vector<double>> candidate;
  fast.forward(ids,
               [&](int64_t, std::span<const double> logits) { candidate.emplace_back(logits.begin(), logits.end()); });
  const double kv_cache = 2.0 * 30 * 640 * 8 * sizeof(float) / kMegabyte;
  const double kept = 8.0 * 128256 * sizeof(double) / kMegabyte;  // our own copy of the logits
  EXPECT_LT(anonymous_memory() - before, kv_cache + kept + 200);

  LogitMetrics metrics;
  golden.forward(
      ids, [&](int64_t i, std::span<const double> logits) { metrics.add(logits, candidate[static_cast<size_t>(i)]); });
  EXPECT_LT(metrics.nmse(), 2e-5);  // ten times what models.md measured on small models; a wrong kernel gives 1e-2
  EXPECT_EQ(metrics.agreement(), 1);
  open.check_unchanged();
}

}  // namespace
}  // namespace tritcheck
