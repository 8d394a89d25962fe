// Functions without an oracle: the data of their cases, and what is expected of them from their own answers.
#include "harness/diagnose/blocks/relations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <stdexcept>

#include "harness/cases/formats.h"
#include "harness/cases/grids.h"
#include "harness/probes/probes.h"
#include "reference/half.h"
#include "reference/q8_k.h"

namespace tritcheck {
namespace {

// Two functions of a made-up format: 0 is its reader, 1 its product. The weight of a column is a byte of the block.
class Made : public Executor {
 public:
  std::function<float(std::span<const uint8_t> block, size_t column)> weight = [](auto block, size_t e) {
    return static_cast<float>(block[2 + e % (block.size() - 2)] % 86) - 43;
  };
  size_t asked = 0;

  const WorkerInfo& info() const override { return info_; }
  std::vector<CallResult> run(std::span<const CallRequest> requests) override {
    std::vector<CallResult> out;
    for (const CallRequest& r : requests) {
      ++asked;
      const auto k = static_cast<size_t>(r.k);
      const size_t bytes = r.weights.size() / (k / 256);
      CallResult& one = out.emplace_back();
      one.status = CallStatus::returned;
      double sum = 0;
      for (size_t e = 0; e < k; ++e) {
        const auto block = std::span(r.weights).subspan(e / 256 * bytes, bytes);
        uint16_t half = 0;
        std::memcpy(&half, block.data(), sizeof half);
        const float w = f16::to_float(half) * weight(block, e % 256);
        if (r.kernel == 0) one.out_a.push_back(std::bit_cast<uint32_t>(w));
        if (r.kernel == 0) continue;
        const auto* y = reinterpret_cast<const uint8_t*>(r.activations.data()) + e / 256 * q8_k::kBytes;
        const q8_k::Block acts = q8_k::unpack({y, q8_k::kBytes});
        sum += double{w} * acts.d * acts.q[e % 256];
      }
      if (r.kernel == 1) one.out_a = {std::bit_cast<uint32_t>(static_cast<float>(sum))};
    }
    return out;
  }

 private:
  WorkerInfo info_;
};

KernelInfo function(Op role) {
  KernelInfo k;
  k.contract.op = role;
  k.format = "iq2_xxs";
  if (role == Op::vec_dot) k.acts = "q8_K";
  k.nrows = role == Op::vec_dot ? 2 : 1;
  k.contract = contract_of(k);
  return k;
}

TEST(Relations, AreForProductsAndReadersOfGridFormatsOnly) {
  EXPECT_EQ(why_not_verified(function(Op::vec_dot)), "");
  EXPECT_EQ(why_not_verified(function(Op::to_float)), "");
  EXPECT_THAT(why_no_oracle(function(Op::vec_dot)), testing::HasSubstr("no oracle for iq2_xxs"));
  EXPECT_NE(why_not_verified(function(Op::from_float)), "");
  KernelInfo other = function(Op::vec_dot);
  other.acts = "q8_0";
  EXPECT_NE(why_not_verified(other), "");
  KernelInfo known = function(Op::vec_dot);
  known.format = "q4_K";
  EXPECT_FALSE(has_relations(known));
  EXPECT_TRUE(find_family("F15")->cases(known, Level::standard, 1).empty());
}

TEST(Relations, BlocksAreThoseOfTheSeedWhateverElseACaseSays) {
  for (const char* name : {"iq1_s", "iq1_m", "iq2_xxs", "iq2_xs", "iq2_s", "iq3_xxs", "iq3_s"}) {
    const auto block = [&](int64_t k, uint64_t seed, std::map<std::string, int64_t> params) {
      const Case c{name, Op::vec_dot, k, 1, "linear", seed, std::move(params)};
      return GridRows(c).plain_block(0, 0);
    };
    const std::vector<uint8_t> one = block(256, 1, {{"kind", 0}});
    EXPECT_EQ(one.size(), grid_named(name)->bytes);
    EXPECT_EQ(block(1024, 1, {{"kind", 2}, {"woff", 4}}), one) << name;
    EXPECT_NE(block(256, 2, {{"kind", 0}}), one) << name;
    EXPECT_NE(block(256, 1, {{"i", 1}}), one) << name;
    // scale 1 where the format has it
    uint16_t half = 0;
    if (std::string_view(name) == "iq1_m") {
      for (size_t i = 0; i < 4; ++i) half = static_cast<uint16_t>(half | (one[49 + 2 * i] >> 4) << (4 * i));
    } else {
      std::memcpy(&half, one.data(), sizeof half);
    }
    EXPECT_EQ(f16::to_float(half), 1.0F) << name;
  }
}

// A bound that could hide a block would be no test.
TEST(Relations, ARightFunctionPassesAndNoBoundReachesTheSmallestBlock) {
  Made made;
  for (const Op role : {Op::vec_dot, Op::to_float}) {
    const Suspect suspect{made, role == Op::vec_dot ? 1U : 0U, function(role), true, 2000, 0};
    Relations relations(suspect);
    int exact = 0;
    for (const char* family : {"F15", "F11", "F12"}) {
      for (const Case& c : find_family(family)->cases(suspect.info, Level::standard, 1)) {
        if (c.n == 2) continue;  // the made-up function takes one row
        const auto p = relations.get(c);
        CallRequest request = make_request(p->problem, suspect.kernel, false);
        EXPECT_EQ(judge(p->problem, p->expected, made.run({&request, 1}).at(0)).verdict, Verdict::pass) << to_string(c);
        for (const double bound : p->expected.bounds) {
          exact += bound == 0;
          if (p->expected.unit > 0) {
            EXPECT_LT(bound, p->expected.unit) << to_string(c);
          }
        }
      }
    }
    EXPECT_GT(exact, 300);
  }
}

TEST(Relations, ABlockIsAskedForOnce) {
  Made made;
  const Suspect suspect{made, 1, function(Op::vec_dot), true, 2000, 0};
  Relations relations(suspect);
  relations.get({"iq2_xxs", Op::vec_dot, 512, 1, "linear", 1, {}});
  EXPECT_EQ(made.asked, 512U);
  relations.get({"iq2_xxs", Op::vec_dot, 768, 1, "linear", 1, {{"kind", 2}}});
  EXPECT_EQ(made.asked, 768U);
  relations.get({"iq2_xxs", Op::vec_dot, 256, 1, "decode", 1, {{"pos", 3}}});
  relations.get({"iq2_xxs", Op::vec_dot, 256, 1, "decode", 1, {{"pos", 4}}});
  EXPECT_EQ(made.asked, 769U);
}

// Where a library has two, one of them wrong, the right one must not be held to the other.
TEST(Relations, AReaderIsHeldToItsOwnAnswers) {
  Made made;
  constexpr uint32_t kAnother = 2;  // of which nothing is known
  const Suspect suspect{made, 0, function(Op::to_float), true, 2000, kAnother};
  Relations relations(suspect);
  const auto p = relations.get({"iq2_xxs", Op::to_float, 512, 1, "linear", 1, {}});
  const CallRequest request = make_request(p->problem, suspect.kernel, false);
  EXPECT_EQ(judge(p->problem, p->expected, made.run({&request, 1}).at(0)).verdict, Verdict::pass);
  EXPECT_EQ(p->expected.values.size(), 512U);
}

TEST(Relations, ExtremesHaveTheSignsOfTheirWeights) {
  Made made;
  const Suspect suspect{made, 1, function(Op::vec_dot), true, 2000, 0};
  Relations relations(suspect);
  const Case c{"iq2_xxs", Op::vec_dot, 256, 1, "linear", 1, {{"kind", static_cast<int64_t>(GridKind::extreme)}}};
  const std::vector<uint8_t> block = GridRows(c).plain_block(0, 0);
  double largest = 0;
  for (size_t e = 0; e < 256; ++e) largest += 127 * std::fabs(made.weight(block, e));
  EXPECT_EQ(relations.get(c)->expected.values, std::vector<double>{largest});
}

TEST(Relations, WithoutAnAnswerAnythingFiniteIsRight) {
  Made made;
  made.weight = [](auto, size_t) { return NAN; };
  const Suspect suspect{made, 1, function(Op::vec_dot), true, 2000, 0};
  Relations relations(suspect);
  const auto p = relations.get({"iq2_xxs", Op::vec_dot, 512, 1, "linear", 1, {}});
  CallResult r;
  r.status = CallStatus::returned;
  r.out_a = {std::bit_cast<uint32_t>(17.0F)};
  EXPECT_EQ(judge(p->problem, p->expected, r).verdict, Verdict::pass);
  r.out_a = {std::bit_cast<uint32_t>(NAN)};
  EXPECT_EQ(judge(p->problem, p->expected, r).verdict, Verdict::mismatch);
}

TEST(Relations, CasesThatMakeNoSenseAreRefused) {
  Made made;
  const Suspect suspect{made, 1, function(Op::vec_dot), true, 2000, 0};
  Relations relations(suspect);
  EXPECT_THROW(relations.get({"iq2_xxs", Op::vec_dot, 512, 1, "random", 1, {}}), std::invalid_argument);
  EXPECT_THROW(relations.get({"iq2_xxs", Op::vec_dot, 512, 1, "decode", 1, {}}), std::invalid_argument);
  EXPECT_THROW(relations.get({"iq2_xxs", Op::vec_dot, 300, 1, "linear", 1, {}}), std::invalid_argument);
  EXPECT_THROW(relations.get({"iq2_xxs", Op::vec_dot, 512, 1, "linear", 1, {{"kind", 5}}}), std::invalid_argument);
}

}  // namespace
}  // namespace tritcheck
