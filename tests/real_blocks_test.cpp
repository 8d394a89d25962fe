// `--model` with formats of blocks: every row of a real file through tritcheck's own kernels and a library's functions.
#include "harness/cases/real_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>

#include "harness/cases/formats.h"
#include "harness/judge/judge.h"
#include "harness/report/report.h"
#include "harness/verify/verify.h"
#include "reference/gguf.h"
#include "tests/temp_folder.h"

namespace tritcheck {
namespace {

using ::testing::HasSubstr;
using testing::TempFolder;

const std::string kModels = TRITCHECK_SOURCE_DIR "/corpora/models/";
const std::string kFile = kModels + "paris-b-tq2_0.gguf";

KernelInfo function(const std::string& format, Op op = Op::vec_dot, int32_t nrows = 1) {
  KernelInfo k;
  k.contract.op = op;
  k.format = format;
  k.acts = op == Op::vec_dot ? "q8_K" : "";
  k.nrows = nrows;
  k.contract = contract_of(k);
  return k;
}

VerifyOptions with_model(const std::string& model) {
  VerifyOptions o;
  o.model = model;
  return o;
}

std::pair<int, std::string> error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const UserError& e) {
    return {e.code(), e.what()};
  }
  return {-1, ""};
}

TEST(RealBlocks, EveryRowOfEveryTensorIsACase) {
  const RealBlocks model(kFile);
  const auto cases = model.cases(function("tq2_0"), Level::standard, 1);
  EXPECT_EQ(static_cast<int64_t>(cases.size()), model.report().rows);
  EXPECT_GT(cases.size(), 500U);
  std::set<std::pair<std::string, int64_t>> rows;
  std::set<int64_t> kinds;
  for (const Case& c : cases) {
    rows.emplace(c.tensor, c.row);
    kinds.insert(c.param("act"));
  }
  EXPECT_EQ(rows.size(), cases.size());
  EXPECT_EQ(kinds, (std::set<int64_t>{0, 1, 2}));
  EXPECT_EQ(model.cases(function("tq2_0"), Level::thorough, 1).size(), 3 * cases.size());
  const auto two = model.cases(function("tq2_0", Op::vec_dot, 2), Level::quick, 1);
  EXPECT_TRUE(std::ranges::any_of(two, [](const Case& c) { return c.n == 2; }));
  EXPECT_TRUE(model.cases(function("q4_K"), Level::standard, 1).empty());
  EXPECT_EQ(model.why_not(function("q4_K")), "the file has no q4_K tensor");
  EXPECT_NE(model.why_not(function("tq2_0", Op::from_float)), "");
}

TEST(RealBlocks, AProblemHoldsTheRowAsItLiesInTheFile) {
  const RealBlocks model(kFile);
  const std::string bytes = testing::contents(kFile);
  const gguf::File file = gguf::parse({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  for (const Op role : {Op::vec_dot, Op::to_float}) {
    const auto cases = model.cases(function("tq2_0", role), Level::quick, 1);
    const Case& c = cases[cases.size() / 2];
    EXPECT_EQ(parse_case(to_string(c)), c);
    const Problem p = model.problem(c);
    const auto data = file.data(*file.tensor(c.tensor));
    const size_t row = p.x.size();
    EXPECT_EQ(row, static_cast<size_t>(c.k) / 256 * 66);
    EXPECT_TRUE(std::ranges::equal(p.x, data.subspan(static_cast<size_t>(c.row) * row, row))) << to_string(c);
    EXPECT_EQ(p.y.size(), role == Op::vec_dot ? static_cast<size_t>(c.k) / 256 * 292 : 0);
  }
}

TEST(RealBlocks, ACaseThatIsNotInTheFileIsRefused) {
  const RealBlocks model(kFile);
  const Case good = model.cases(function("tq2_0"), Level::quick, 1).front();
  const auto refused = [&](const std::function<void(Case&)>& change) {
    Case c = good;
    change(c);
    EXPECT_THROW(model.problem(c), std::invalid_argument) << to_string(c);
  };
  EXPECT_NO_THROW(model.problem(good));
  refused([](auto& c) { c.model = "0123456789abcdef"; });
  refused([](auto& c) { c.tensor = "blk.99"; });
  refused([](auto& c) { c.format = "tq1_0"; });
  refused([](auto& c) { c.row = int64_t{1} << 40; });
  refused([](auto& c) { c.row = 1 << 30; });
  refused([](auto& c) { c.k += 256; });
  refused([](auto& c) { c.op = Op::from_float; });
}

TEST(RealBlocks, OwnKernelsAreRightOnRealRows) {
  for (const char* format : {"tq1_0", "tq2_0"}) {
    VerifyOptions o = with_model(kModels + "paris-b-" + format + ".gguf");
    const Report r = verify(o);
    EXPECT_EQ(exit_code(r), kExitPass);
    ASSERT_TRUE(r.model);
    EXPECT_EQ(r.model->formats, std::vector<std::string>{format});
    for (const KernelReport& k : r.kernels) {
      if (k.kernel.format == format && k.kernel.runnable) {
        EXPECT_EQ(k.verdict, Verdict::pass) << k.kernel.name;
        EXPECT_EQ(k.cases, r.model->rows);
      } else {
        EXPECT_EQ(k.verdict, Verdict::skipped) << k.kernel.name;
        EXPECT_FALSE(k.reason.empty());
      }
    }
  }
}

TEST(RealBlocks, ABrokenFunctionOfALibraryFailsOnARowAndItsLineRepeatsThat) {
  VerifyOptions o = with_model(kFile);
  o.libs = {TRITCHECK_BLOCK_MUSEUM};
  o.kernels = {"tq2_0_no_offset", "tq2_0_right", "q4_K_right"};
  const Report r = verify(o);
  ASSERT_EQ(r.kernels.size(), 3U);
  for (const KernelReport& k : r.kernels) {
    if (k.kernel.name != "tq2_0_no_offset") {
      EXPECT_EQ(k.verdict, k.kernel.name == "tq2_0_right" ? Verdict::pass : Verdict::skipped);
      EXPECT_EQ(k.reason, k.kernel.name == "tq2_0_right" ? "" : "the file has no q4_K tensor");
      continue;
    }
    EXPECT_EQ(k.verdict, Verdict::mismatch);
    ASSERT_TRUE(k.failure);
    EXPECT_EQ(k.failure->diagnosis, "offset-never");
    EXPECT_THAT(k.failure->case_text, HasSubstr(":tensor="));
    EXPECT_THAT(k.failure->repro, HasSubstr(" --model "));
    VerifyOptions again = with_model(kFile);
    again.libs = o.libs;
    again.kernels = {k.kernel.name};
    EXPECT_EQ(exit_code(replay(k.failure->case_text, again)), kExitWrong);
    again.kernels = {"tq2_0_right"};
    EXPECT_EQ(exit_code(replay(k.failure->case_text, again)), kExitPass);
    again.model.clear();
    const auto [code, words] = error_of([&] { replay(k.failure->case_text, again); });
    EXPECT_EQ(code, kExitUsage);
    EXPECT_THAT(words, HasSubstr("add --model FILE (SHA-256 begins with "));
    again.model = kModels + "paris-b-tq1_0.gguf";
    EXPECT_EQ(error_of([&] { replay(k.failure->case_text, again); }).first, kExitUsage);
    // one of tritcheck's own on the same row
    VerifyOptions own = with_model(kFile);
    const Report mine = replay(k.failure->case_text, own);
    EXPECT_EQ(exit_code(mine), kExitPass);
  }
}

TEST(RealBlocks, FilesThatHoldNothingForTheJob) {
  VerifyOptions o = with_model(kModels + "paris-b-i2_s.x86_128.gguf");
  o.libs = {TRITCHECK_BLOCK_MUSEUM};
  // the museum's kernels of I2_S have something to do there, its functions on blocks do not
  o.kernels = {"tq2_0_right"};
  const Report nothing = verify(o);
  EXPECT_EQ(exit_code(nothing), kExitNothingRan);
  EXPECT_EQ(nothing.kernels.at(0).reason, "the file has no tq2_0 tensor");
  EXPECT_EQ(error_of([&] { verify(with_model(kModels + "paris-b-f32.gguf")); }).first, kExitBadFile);
  EXPECT_EQ(error_of([&] { verify(with_model(kModels + "no-such.gguf")); }).first, kExitBadFile);
  VerifyOptions layout = with_model(kFile);
  layout.layout = Layout::arm_64;
  EXPECT_EQ(error_of([&] { verify(layout); }).first, kExitUsage);
}

}  // namespace
}  // namespace tritcheck
