// A mis-packed file of a stranger: no byte of its weights and no word in it is known, yet it is told what it is,
// repacked, healthy, and equal to the canonical file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/mapped_file.h"
#include "harness/paris/layout_score.h"
#include "harness/paris/paris.h"
#include "reference/sha256.h"
#include "tests/permuted_model.h"
#include "tests/shell.h"

namespace tritcheck {
namespace {

using testing::PermutedModel;

class Stranger : public ::testing::TestWithParam<const char*> {};

TEST_P(Stranger, IsToldRepackedAndHealthy) {
  const std::string shipped = std::string(TRITCHECK_SOURCE_DIR "/corpora/models/") + GetParam() + "-i2_s.x86_128.gguf";
  const PermutedModel model(shipped, 20);
  const std::string canonical = model.packed(Layout::x86_128);
  ASSERT_NE(canonical, testing::contents(shipped));
  ASSERT_EQ(canonical.find("x86_128"), std::string::npos);
  const testing::TempFolder dir;
  for (Layout layout : i2_s::kLayouts) {
    const std::string path = dir.file("m.gguf", model.packed(layout));
    const MappedFile mapped(path);
    const LayoutAnswer answer = score_layouts(path, gguf::parse(mapped.bytes()), {}, 2);
    ASSERT_TRUE(answer.layout.has_value()) << i2_s::name(layout);
    EXPECT_EQ(*answer.layout, layout);
    for (const LayoutScore& s : answer.scores) {
      if (s.layout == layout) continue;
      EXPECT_GT(s.nll, answer.nll(layout) + 1) << i2_s::name(s.layout);
    }
    if (layout == Layout::x86_128) continue;
    // the layout is found without being named
    const testing::Ran r = testing::shell_in(
        dir.path(), "'" + testing::kProgram + "' repack m.gguf out.gguf --layout x86_128 --overwrite", dir.path());
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(testing::contents(dir.path("out.gguf")) == canonical) << i2_s::name(layout);
  }
  ParisOptions o;
  o.model = dir.path("out.gguf");
  o.prompts = {"The capital of France is", "Tom and Lily liked the lake."};
  o.threads = 2;
  const ParisReport report = paris(o, {});
  EXPECT_EQ(report.health.health, engine::Health::healthy) << report.health.why;
  EXPECT_TRUE(report.exactness.exact());
  EXPECT_THAT(report.prompts[0].candidate_text, ::testing::StartsWith(" Paris"));
}

INSTANTIATE_TEST_SUITE_P(Models, Stranger, ::testing::Values("paris-a", "paris-b"),
                         [](const auto& one) { return one.param[6] == 'a' ? "a" : "b"; });

}  // namespace
}  // namespace tritcheck
