// The golden engine against an independent float64 implementation: the json files that came with the models.
#include "engine/golden/golden.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine_models.h"

namespace tritcheck::engine {
namespace {

using nlohmann::json;

class OnModel : public testing::TestWithParam<std::string> {
 protected:
  OnModel() : shipped_(GetParam()), golden_(shipped_.model, {.threads = 2}) {}

  std::vector<int32_t> continued(std::span<const int32_t> prompt, size_t most) {
    return greedy(golden_, prompt, most, shipped_.tokenizer.eos().value());
  }

  ShippedModel shipped_;
  Golden golden_;
};

TEST_P(OnModel, SameTokensAndLogits) {
  for (const json& prompt : shipped_.json["prompts"]) {
    const std::vector<int32_t> ids = prompt["prompt_ids"];
    EXPECT_EQ(shipped_.tokenizer.encode(prompt["prompt"].get<std::string>()), ids);
    golden_.rewind(0);
    std::vector<double> logits = last_logits(golden_, ids);
    const json& all = prompt["prompt_last_logits"];
    ASSERT_EQ(all.size(), logits.size());
    for (size_t i = 0; i < logits.size(); ++i) EXPECT_NEAR(logits[i], all[i].get<double>(), 5.001e-7);  // six digits
    for (const json& step : prompt["steps"]) {
      for (const json& top : step["top5"]) {
        const auto want = top[1].get<double>();
        EXPECT_NEAR(logits[top[0].get<size_t>()], want, std::fabs(want) * 1e-9);
      }
      const int32_t token = argmax(logits);
      ASSERT_EQ(token, step["token"].get<int32_t>());
      logits = last_logits(golden_, {&token, 1});
    }
    const std::vector<int32_t> greedy_ids = prompt["greedy_ids"];
    EXPECT_EQ(continued(ids, greedy_ids.size()), greedy_ids);
    EXPECT_EQ(shipped_.tokenizer.decode(greedy_ids), prompt["text"].get<std::string>());
  }
}

TEST_P(OnModel, SameCapitals) {
  int correct = 0;
  for (const json& row : shipped_.json["capitals"]["rows"]) {
    const auto country = row[0].get<std::string>();
    const std::string text =
        shipped_.tokenizer.decode(continued(shipped_.tokenizer.encode("The capital of " + country + " is"), 12));
    const bool right = text.starts_with(" " + row[1].get<std::string>() + ".");
    EXPECT_EQ(right, row[2].get<bool>()) << country << ":" << text;
    correct += right;
  }
  EXPECT_EQ(correct, shipped_.json["capitals"]["correct"].get<int>());
}

TEST_P(OnModel, SameLikelihoodOfUnseenText) {
  double nll = 0;
  int64_t tokens = 0;
  for (const json& text : shipped_.json["heldout"]["texts"]) {
    // each text is a document: bos, text, eos
    std::vector<int32_t> ids = shipped_.tokenizer.encode(text.get<std::string>());
    ids.push_back(shipped_.tokenizer.eos().value());
    golden_.rewind(0);
    golden_.forward(ids, [&](int64_t i, std::span<const double> l) {
      if (i + 1 == static_cast<int64_t>(ids.size())) return;
      const double largest = *std::max_element(l.begin(), l.end());
      double sum = 0;
      for (double v : l) sum += std::exp(v - largest);
      nll += largest + std::log(sum) - l[static_cast<size_t>(ids[static_cast<size_t>(i) + 1])];
      ++tokens;
    });
  }
  EXPECT_EQ(tokens, shipped_.json["heldout"]["tokens"].get<int64_t>());
  EXPECT_NEAR(nll / static_cast<double>(tokens), shipped_.json["heldout"]["nll_per_token"].get<double>(), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Models, OnModel,
                         testing::Values("paris-a-i2_s.x86_128", "paris-b-f32", "paris-b-i2_s.x86_128"),
                         [](const auto& one) { return test_name(one.param); });

TEST(Golden, EncodingsOfOneModelGiveTheSameBits) {
  const ShippedModel first("paris-b-f32");
  const std::vector<int32_t> ids = first.tokenizer.encode("The capital of France is Paris.");
  Golden golden(first.model);
  const auto want = all_logits(golden, ids);
  for (const char* name : {"paris-b-f16", "paris-b-i2_s.x86_128", "paris-b-i2_s.arm_64", "paris-b-i2_s.linear",
                           "paris-b-i2_s.rows_1x4", "paris-b-tq1_0", "paris-b-tq2_0"}) {
    const ShippedModel other(name);
    Golden again(other.model);
    const auto got = all_logits(again, ids);
    // a scale in front of the sum or inside: some last bits of float64 differ
    for (size_t i = 0; i < want.size(); ++i) {
      for (size_t j = 0; j < want[i].size(); ++j) ASSERT_NEAR(got[i][j], want[i][j], 1e-9) << name;
    }
  }
}

TEST(Golden, SplitsAndThreadsChangeNoBit) {
  const ShippedModel shipped("paris-b-i2_s.x86_128");
  const std::vector<int32_t> ids = shipped.tokenizer.encode("Tom and Lily went to the lake near the old tree.");
  Golden golden(shipped.model);
  const auto want = all_logits(golden, ids);
  for (int threads : {1, 2, 5}) {
    for (size_t first : {size_t{1}, size_t{3}, ids.size() - 1}) {
      Golden split(shipped.model, {.threads = threads});
      auto got = all_logits(split, std::span(ids).first(first));
      for (auto& row : all_logits(split, std::span(ids).subspan(first))) got.push_back(std::move(row));
      EXPECT_EQ(got, want) << threads << " threads, split at " << first;
    }
  }
}

}  // namespace
}  // namespace tritcheck::engine
