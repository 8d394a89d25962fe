// Where in a row a product is wrong: found from outputs alone, also for a mistake at a random place; and cases made of
// golden's own numbers.
#include "harness/paris/localize.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/mapped_file.h"
#include "harness/paris/paris.h"
#include "harness/verify/verify.h"
#include "reference/gguf.h"
#include "reference/prng.h"
#include "tests/temp_folder.h"

namespace tritcheck {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kModel = TRITCHECK_SOURCE_DIR "/corpora/models/paris-b-i2_s.x86_128.gguf";

ParisOptions one_prompt() {
  ParisOptions o;
  o.model = kModel;
  o.layout = Layout::x86_128;
  o.prompts = {"The capital of France is"};
  o.tokens = 1;
  o.threads = 2;
  return o;
}

// One weight somewhere has another value in the candidate: as a kernel that misreads this one place.
struct Misread {
  std::string tensor;
  int64_t row = 0;
  int64_t column = 0;
  std::string bytes;  // of the file
};

Misread misread(uint64_t seed) {
  Misread m;
  m.bytes = testing::contents(kModel);
  const MappedFile mapped(kModel);
  const gguf::File file = gguf::parse(mapped.bytes());
  const auto slices = gguf::i2_s_slices(file);
  Prng rng(seed);
  const gguf::I2sSlice& s = slices[rng.below(slices.size())];
  m.tensor = s.tensor->name;
  m.row = static_cast<int64_t>(rng.below(static_cast<uint64_t>(s.shape.rows)));
  m.column = static_cast<int64_t>(rng.below(static_cast<uint64_t>(s.shape.k)));
  const auto elements = static_cast<size_t>(s.shape.k * s.shape.rows);
  std::vector<uint8_t> codes(elements);
  i2_s::unpack(Layout::x86_128, s.shape, s.bytes, codes);
  uint8_t& code = codes[static_cast<size_t>(m.row * s.shape.k + m.column)];
  code = static_cast<uint8_t>((code + 1 + rng.below(2)) % 3);
  i2_s::pack(Layout::x86_128, s.shape, codes,
             {reinterpret_cast<uint8_t*>(m.bytes.data()) + s.offset, static_cast<size_t>(i2_s::code_bytes(s.shape))});
  return m;
}

TEST(Localize, AMistakeAtARandomPlaceIsFoundThere) {
  int seen = 0;
  for (uint64_t seed = 1; seed <= 16; ++seed) {
    const Misread m = misread(seed);
    const testing::TempFolder folder;
    ParisOptions o = one_prompt();
    o.candidate_model = folder.file("m.gguf", m.bytes);
    const ParisReport r = paris(o, {});
    // where all tokens of the sentence have a zero in that column, nothing can be seen
    if (r.exactness.exact()) continue;
    ++seen;
    const WrongStep& w = r.exactness.wrong[0];
    EXPECT_EQ(w.tensor, m.tensor);
    EXPECT_EQ(w.row, m.row);
    EXPECT_THAT(w.where,
                StartsWith(fmt::format("row {}, columns {} to {} alone (block {}): column {} by itself, ", m.row,
                                       m.column / 128 * 128, m.column / 128 * 128 + 127, m.column / 128, m.column)));
    // the kernel is right by itself, whatever it is given
    EXPECT_EQ(w.diagnosis, "");
    EXPECT_THAT(w.detail, HasSubstr("is right"));
    EXPECT_FALSE(w.literal_cases.empty());
  }
  EXPECT_GE(seen, 10);
}

// Golden's own numbers, cut to what fails, make every broken kernel fail, and no right one.
TEST(Localize, ItsCasesFailOnTheBrokenKernelAndOnNoOther) {
  const std::pair<const char*, const char*> kernels[] = {{"bug_layout_64_on_128", "i2_s_x86_128_dot_scalar"},
                                                         {"bug_tail_last_32", "i2_s_x86_128_dot_scalar"},
                                                         {"bug_offset_never_gemv", "i2_s_x86_128_gemv_scalar"},
                                                         {"bug_nrc_acts_as_rows", "i2_s_x86_128_acts_scalar"},
                                                         {"bug_code_zero_as_minus", "i2_s_x86_128_dot_scalar"}};
  for (const auto& [broken, right] : kernels) {
    ParisOptions o = one_prompt();
    o.kernels = std::string(broken) == "bug_nrc_acts_as_rows" ? std::string("acts=") + broken : broken;
    const ParisReport r = paris(o, {});
    ASSERT_FALSE(r.exactness.wrong.empty()) << broken;
    const WrongStep& w = r.exactness.wrong[0];
    EXPECT_FALSE(w.where.empty());
    ASSERT_FALSE(w.literal_cases.empty()) << broken;
    for (const std::string& text : w.literal_cases) {
      VerifyOptions v;
      v.force = true;
      v.kernels = {broken};
      EXPECT_THAT(exit_code(replay(text, v)), AnyOf(kExitWrong, kExitCrash)) << broken << "\n" << text;
      v.kernels = {right};
      EXPECT_EQ(exit_code(replay(text, v)), kExitPass) << right << "\n" << text;
    }
  }
}

}  // namespace
}  // namespace tritcheck
