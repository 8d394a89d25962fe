// The sampler and the loop that writes.
#include "engine/generate/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <sstream>

#include "engine/fast/fast.h"
#include "engine/generate/trace_line.h"
#include "engine/golden/golden.h"
#include "engine/text/detokenizer.h"
#include "engine/text/utf8.h"
#include "tests/engine_models.h"
#include "tests/tokenizer_file.h"

namespace tritcheck::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// What f throws, "" if nothing.
template <typename Error, typename F>
std::string thrown(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

std::vector<int32_t> draws(const SamplerOptions& options, const std::vector<double>& logits, int n) {
  Sampler sampler(options);
  std::vector<int32_t> out;
  for (int i = 0; i < n; ++i) out.push_back(sampler.sample(logits));
  return out;
}

// An engine without a model: what follows is a function of the position of the last token and of its id.
class Mock : public Engine {
 public:
  using Engine::forward;
  using Next = std::function<int32_t(int64_t position, int32_t id)>;

  Mock(int64_t vocab, Next next) : vocab_(vocab), next_(std::move(next)) {}

  void forward(std::span<const int32_t> ids, const LogitsSink& logits, int64_t first_logits, const Trace&) override {
    calls.push_back(static_cast<int64_t>(ids.size()));
    for (size_t i = 0; i < ids.size(); ++i) {
      std::vector<double> l(static_cast<size_t>(vocab_), 0.0);
      const int32_t id = next_(position_ + static_cast<int64_t>(i), ids[i]);
      l[static_cast<size_t>(std::max(id, 0))] = id < 0 ? kNan : 9;
      if (static_cast<int64_t>(i) >= first_logits) logits(static_cast<int64_t>(i), l);
    }
    position_ += static_cast<int64_t>(ids.size());
  }

  std::vector<int64_t> calls;  ///< tokens in each

 private:
  int64_t vocab_;
  Next next_;
};

// Counts upwards.
Mock counter() {
  return Mock(1000, [](int64_t, int32_t id) { return id + 1; });
}

struct Written {
  Generated done;
  std::vector<int32_t> ids;
};

Written write(Engine& engine, const std::vector<int32_t>& prompt, const GenerateOptions& options,
              const SamplerOptions& how = {}) {
  Sampler sampler(how);
  Written out;
  out.done = generate(engine, sampler, prompt, options, [&](int32_t id) {
    out.ids.push_back(id);
    return true;
  });
  return out;
}

TEST(Sampler, GreedyTakesTheLowestIdOfEqualLogits) {
  EXPECT_EQ(Sampler({}).sample(std::vector<double>{1, 7, -2, 7, 7}), 1);
  EXPECT_EQ(Sampler({}).sample(std::vector<double>{-kInf, -kInf, -1e300}), 2);
  EXPECT_EQ(Sampler({.top_k = 3, .top_p = 0.5, .seed = 99}).sample(std::vector<double>{0, 0}), 0);
}

TEST(Sampler, LogitsThatAreNoneAreNamed) {
  for (const double temperature : {0.0, 1.0}) {
    Sampler s({.temperature = temperature});
    const auto why = [&](std::vector<double> logits) { return thrown<SampleError>([&] { s.sample(logits); }); };
    EXPECT_EQ(why({1, 2, kNan, 3, kNan}), "the logit of token 2 is NaN");
    EXPECT_EQ(why({1, kInf}), "the logit of token 1 is infinite");
    EXPECT_EQ(why({-kInf, -kInf}), "no token has a finite logit");
    EXPECT_EQ(why({}), "no token has a finite logit");
    EXPECT_EQ(why({-kInf, 0}), "");
  }
}

TEST(Sampler, OptionsOutOfRangeAreRefused) {
  for (const SamplerOptions& bad :
       {SamplerOptions{.temperature = -1}, SamplerOptions{.temperature = kNan}, SamplerOptions{.temperature = kInf},
        SamplerOptions{.top_k = -1}, SamplerOptions{.top_p = 0}, SamplerOptions{.top_p = 1.5},
        SamplerOptions{.top_p = kNan}}) {
    EXPECT_THROW(Sampler{bad}, std::invalid_argument);
  }
}

TEST(Sampler, TopKOfOneAndATinyTopPAreGreedy) {
  Prng rng(5);
  Sampler greedy({});
  Sampler one({.temperature = 1.5, .top_k = 1, .seed = 3});
  Sampler tiny({.temperature = 1.5, .top_p = 1e-9, .seed = 3});
  for (int i = 0; i < 200; ++i) {
    std::vector<double> logits(50);
    for (double& l : logits) l = static_cast<double>(rng.between(-5, 5));  // many are equal
    const int32_t want = greedy.sample(logits);
    EXPECT_EQ(one.sample(logits), want);
    EXPECT_EQ(tiny.sample(logits), want);
  }
}

TEST(Sampler, FirstTopKThenTemperatureThenTopP) {
  // probabilities 0.4, 0.3, 0.2, 0.1 at temperature 1
  const std::vector<double> logits = {std::log(0.1), std::log(0.4), std::log(0.2), std::log(0.3)};
  const auto of = [&](const SamplerOptions& options) {
    std::vector<std::pair<int32_t, double>> out;
    for (const Candidate& c : Sampler(options).candidates(logits)) out.emplace_back(c.id, c.probability);
    return out;
  };
  const auto near = [](int32_t id, double p) { return ::testing::Pair(id, ::testing::DoubleNear(p, 1e-12)); };
  EXPECT_THAT(of({.temperature = 1}), ElementsAre(near(1, 0.4), near(3, 0.3), near(2, 0.2), near(0, 0.1)));
  EXPECT_THAT(of({.temperature = 1, .top_k = 2}), ElementsAre(near(1, 4.0 / 7), near(3, 3.0 / 7)));
  // 4/7 alone reaches 0.5, 0.4 of all does not: top-k comes first
  EXPECT_THAT(of({.temperature = 1, .top_k = 2, .top_p = 0.5}), ElementsAre(near(1, 1)));
  EXPECT_THAT(of({.temperature = 1, .top_p = 0.5}), ElementsAre(near(1, 4.0 / 7), near(3, 3.0 / 7)));
  // at temperature 1/2 they are as 16, 9, 4, 1: 16/30 reaches 0.5: the temperature comes before top-p
  EXPECT_THAT(of({.temperature = 0.5, .top_p = 0.5}), ElementsAre(near(1, 1)));
  EXPECT_THAT(of({.temperature = 0.5}),
              ElementsAre(near(1, 16.0 / 30), near(3, 9.0 / 30), near(2, 4.0 / 30), near(0, 1.0 / 30)));
}

TEST(Sampler, ManyDrawsComeAsOftenAsTheirProbabilities) {
  const std::vector<double> logits = {0, 1, -1, 0.5, -2, 1};
  const SamplerOptions options{.temperature = 0.8, .top_k = 5, .top_p = 0.95, .seed = 2024};
  constexpr int kDraws = 20000;
  std::vector<int> counts(logits.size());
  for (const int32_t id : draws(options, logits, kDraws)) ++counts[static_cast<size_t>(id)];
  double chi_square = 0;
  int kept = 0;
  for (const Candidate& c : Sampler(options).candidates(logits)) {
    const double expected = c.probability * kDraws;
    const double off = counts[static_cast<size_t>(c.id)] - expected;
    chi_square += off * off / expected;
    kept += counts[static_cast<size_t>(c.id)];
  }
  EXPECT_EQ(kept, kDraws) << "tokens that were left out came";
  EXPECT_EQ(counts[4], 0);
  EXPECT_LT(chi_square, 16.3) << "three degrees of freedom: less in 999 of 1000 seeds";
}

TEST(Sampler, TheSeedAloneDecides) {
  const std::vector<double> logits(40, 0.0);
  const auto first = draws({.temperature = 1, .seed = 7}, logits, 50);
  EXPECT_EQ(draws({.temperature = 1, .seed = 7}, logits, 50), first);
  EXPECT_NE(draws({.temperature = 1, .seed = 8}, logits, 50), first);
  // the same on every machine: written down once, and found by a second implementation, in Python
  EXPECT_THAT(draws({.temperature = 0.7, .top_k = 30, .top_p = 0.9, .seed = 7},
                    {0.1, 2, -1, 0.25, 1.75, 0.5, -3, 1, 0.3, 1.1}, 12),
              ElementsAre(1, 1, 7, 4, 4, 1, 4, 1, 1, 1, 1, 5));
}

TEST(Sampler, TheExponentialFunctionIsRightAndTheSameEverywhere) {
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_exp(-kInf), 0);
  EXPECT_EQ(portable_exp(-1e6), 0);
  Prng rng(1);
  for (int i = 0; i < 100000; ++i) {
    const double x = -(i % 2 == 0 ? 700.0 : 3.0) * rng.unit();
    EXPECT_NEAR(portable_exp(x) / std::exp(x), 1, 5e-16) << x;
  }
  uint64_t hash = 0;
  for (int i = 1; i < 1000; ++i) hash = hash * 31 + std::bit_cast<uint64_t>(portable_exp(-0.37 * i));
  EXPECT_EQ(hash, 11953546158121145156U) << "other bits than written down once";
}

TEST(Generate, EndsAtAStopWhichIsGivenOut) {
  Mock engine = counter();
  const Written w = write(engine, {1, 2, 3}, {.context = 100, .stops = {50, 7}});
  EXPECT_THAT(w.ids, ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(w.done.end, End::stop);
  EXPECT_EQ(w.done.tokens, 4);
  EXPECT_EQ(w.done.prompt_tokens, 3);
  EXPECT_EQ(engine.position(), 6) << "the last token is not run";
}

TEST(Generate, AsManyTokensAsWanted) {
  for (const int64_t n : {0, 1, 5}) {
    Mock engine = counter();
    const Written w = write(engine, {1}, {.tokens = n, .context = 100});
    EXPECT_EQ(w.done.end, End::tokens);
    EXPECT_EQ(static_cast<int64_t>(w.ids.size()), n);
    EXPECT_EQ(engine.position(), std::max<int64_t>(n, 1));
  }
}

TEST(Generate, EveryTokenTakesAPosition) {
  Mock engine = counter();
  const Written w = write(engine, {1, 2, 3}, {.context = 8});
  EXPECT_EQ(w.done.end, End::context);
  EXPECT_THAT(w.ids, ElementsAre(4, 5, 6, 7, 8));

  Mock full = counter();
  const Written none = write(full, {1, 2, 3}, {.context = 3});
  EXPECT_EQ(none.done.end, End::context);
  EXPECT_THAT(none.ids, ElementsAre());
}

TEST(Generate, APromptThatDoesNotFitSaysBothNumbers) {
  Mock engine = counter();
  const auto why = [&](std::vector<int32_t> prompt, int64_t context) {
    return thrown<std::invalid_argument>([&] { write(engine, prompt, {.tokens = 1, .context = context}); });
  };
  EXPECT_EQ(why({1, 2, 3, 4}, 3), "the prompt has 4 tokens, the context 3 positions");
  EXPECT_THAT(why({}, 3), HasSubstr("empty"));
  EXPECT_EQ(why({1, 2}, 3), "");
  EXPECT_EQ(why({1, 2}, 3), "the prompt has 2 tokens, the context 3 positions, 2 of them taken");
}

TEST(Generate, ALongPromptIsReadInPortions) {
  Mock engine = counter();
  std::vector<int32_t> prompt(150, 1);
  prompt.back() = 500;
  EXPECT_THAT(write(engine, prompt, {.tokens = 2, .context = 200}).ids, ElementsAre(501, 502));
  EXPECT_THAT(engine.calls, ElementsAre(64, 64, 22, 1));
}

TEST(Generate, TheFlagStopsBeforeTheNextTokenAndWithinAPrompt) {
  std::atomic<bool> stop = false;
  Mock engine(1000, [&](int64_t position, int32_t id) {
    if (position == 5) stop = true;
    return id + 1;
  });
  const Written w = write(engine, {1, 2, 3}, {.context = 100, .stop = &stop});
  EXPECT_EQ(w.done.end, End::asked);
  EXPECT_THAT(w.ids, ElementsAre(4, 5, 6, 7)) << "the token under way is finished";

  stop = false;
  engine.rewind(0);
  const Written none = write(engine, std::vector<int32_t>(500, 1), {.context = 900, .stop = &stop});
  EXPECT_EQ(none.done.end, End::asked);
  EXPECT_EQ(none.done.prompt_tokens, 64);
  EXPECT_THAT(none.ids, ElementsAre());
}

TEST(Generate, TheSinkCanStopToo) {
  Mock engine = counter();
  Sampler sampler({});
  int seen = 0;
  const Generated done =
      generate(engine, sampler, std::vector<int32_t>{1}, {.context = 100}, [&](int32_t) { return ++seen < 3; });
  EXPECT_EQ(done.end, End::asked);
  EXPECT_EQ(done.tokens, 3);
}

TEST(Generate, NanSaysWhere) {
  Mock engine(20, [](int64_t position, int32_t id) { return position == 4 ? -1 : id + 1; });
  EXPECT_EQ(thrown<SampleError>([&] {
              write(engine, {1, 2, 3}, {.context = 100});
            }),
            "after position 4: the logit of token 0 is NaN");
}

// Tokens of one byte each: the screen must never see half a character.
TEST(Generate, CharactersOfSeveralBytesAppearWhole) {
  const text::Tokenizer tokenizer = ::tritcheck::testing::byte_level().load();
  const std::string text = "x\u00E9\u20AC\U0001F600 \u00FC.";
  Mock engine(256, [&](int64_t position, int32_t) {
    return position < static_cast<int64_t>(text.size()) ? static_cast<uint8_t>(text[static_cast<size_t>(position)])
                                                        : '\n';
  });
  text::Detokenizer detokenizer(tokenizer);
  std::string out;
  std::vector<std::string> parts;
  Sampler sampler({});
  generate(engine, sampler, std::vector<int32_t>{'>'}, {.context = 100, .stops = {'\n'}}, [&](int32_t id) {
    const std::string part = detokenizer.push(id);
    EXPECT_EQ(text::utf8::replace_invalid(part), part);
    EXPECT_THAT(part, ::testing::Not(HasSubstr(std::string(text::utf8::kReplacement))));
    if (!part.empty()) parts.push_back(part);
    out += part;
    return true;
  });
  EXPECT_EQ(out, text + "\n");
  EXPECT_THAT(parts, ElementsAre("x", "\u00E9", "\u20AC", "\U0001F600", " ", "\u00FC", ".", "\n"));
}

class Shipped : public ::testing::TestWithParam<const char*> {};

TEST_P(Shipped, BothEnginesContinueAsTheReferenceDoes) {
  const ShippedModel m(GetParam());
  const Plan plan = plan_kernels("auto", m.model.layout, detect(), {}, kernels());
  Golden golden(m.model);
  Fast fast(m.model, {.plan = plan});
  for (Engine* engine : {static_cast<Engine*>(&golden), static_cast<Engine*>(&fast)}) {
    for (const auto& p : m.json["prompts"]) {
      engine->rewind(0);
      const auto want = p["greedy_ids"].get<std::vector<int32_t>>();
      const Written w = write(*engine, p["prompt_ids"], {.tokens = 48, .context = 256, .stops = {*m.tokenizer.eos()}});
      EXPECT_EQ(w.ids, want) << p["prompt"];
      EXPECT_EQ(w.done.end, want.back() == m.tokenizer.eos() ? End::stop : End::tokens);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Shipped, ::testing::Values("paris-b-i2_s.x86_128", "paris-b-f32"),
                         [](const auto& p) { return test_name(p.param); });

TEST(TraceLine, IsJsonWithTheSumAndOnDemandTheValues) {
  const std::vector<double> values = {0.1, 0.2, -3, 1e300, 5, 6};
  const TraceStep step{"Qcur", "MUL_MAT", 3, 7, 3, values};
  std::ostringstream out;
  write_trace_line(out, step, false);
  EXPECT_EQ(out.str().back(), '\n');
  auto json = nlohmann::json::parse(out.str());
  EXPECT_EQ(json.dump(), R"({"cols":3,"name":"Qcur-3","op":"MUL_MAT","position":7,"rows":2,"sum":1e+300})");
  std::ostringstream all;
  write_trace_line(all, step, true);
  EXPECT_EQ(nlohmann::json::parse(all.str())["values"].get<std::vector<double>>(), values) << "bit for bit";
}

TEST(TraceLine, NumbersThatJsonLacksAreTexts) {
  const std::vector<double> values = {kNan, kInf, -kInf};
  std::ostringstream out;
  write_trace_line(out, {"result_norm", "RMS_NORM", -1, 0, 3, values}, true);
  const auto json = nlohmann::json::parse(out.str());
  EXPECT_EQ(json["name"], "result_norm");
  EXPECT_EQ(json["sum"], "nan");
  EXPECT_EQ(json["values"].dump(), R"(["nan","inf","-inf"])");
}

}  // namespace
}  // namespace tritcheck::engine
