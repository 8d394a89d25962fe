// Text to ids and back: the shipped models against their golden files, and each rule on a vocabulary made for it.
#include "engine/text/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/base/mapped_file.h"
#include "tests/tokenizer_file.h"

namespace tritcheck {
namespace {

using testing::byte_ids;
using testing::byte_level;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TokenizerFile;
using text::TokenId;
using text::Tokenizer;
using Ids = std::vector<TokenId>;

const std::string kModels = TRITCHECK_SOURCE_DIR "/corpora/models/";

Tokenizer shipped(const std::string& model) {
  const MappedFile file(kModels + model + "-i2_s.x86_128.gguf");
  return Tokenizer(gguf::parse(file.bytes()));
}

class ShippedModels : public ::testing::TestWithParam<std::string> {
 protected:
  Tokenizer tokenizer = shipped(GetParam());
  nlohmann::json golden = nlohmann::json::parse(std::ifstream(kModels + GetParam() + "-golden.json"));
};
INSTANTIATE_TEST_SUITE_P(All, ShippedModels, ::testing::Values("paris-a", "paris-b"),
                         [](const auto& info_) { return info_.param == "paris-a" ? "a" : "b"; });

TEST_P(ShippedModels, PromptsAreTheGoldenIds) {
  ASSERT_GE(golden["prompts"].size(), 11U);
  for (const auto& p : golden["prompts"]) {
    const std::string prompt = p["prompt"];
    EXPECT_EQ(tokenizer.encode(prompt), p["prompt_ids"].get<Ids>()) << prompt;
    EXPECT_EQ(tokenizer.decode(p["prompt_ids"].get<Ids>()), prompt);
    EXPECT_EQ(tokenizer.decode(p["greedy_ids"].get<Ids>()), p["text"].get<std::string>());
  }
}

// The golden file counts each text's tokens with bos and eos, less one: the first is not predicted.
TEST_P(ShippedModels, HeldOutTextsHaveTheGoldenNumberOfTokens) {
  size_t tokens = 0;
  for (const std::string text : golden["heldout"]["texts"]) {
    const Ids ids = tokenizer.encode(text);
    EXPECT_EQ(tokenizer.decode(ids), text);
    tokens += ids.size();
  }
  EXPECT_EQ(tokens, golden["heldout"]["tokens"].get<size_t>());
}

TEST_P(ShippedModels, SpecialTokens) {
  const auto n = static_cast<TokenId>(tokenizer.size());
  EXPECT_EQ(tokenizer.bos(), n - 2);
  EXPECT_EQ(tokenizer.eos(), n - 1);
  EXPECT_EQ(tokenizer.eot(), std::nullopt);
  EXPECT_TRUE(tokenizer.adds_bos());
  EXPECT_TRUE(tokenizer.ends(n - 1));
  EXPECT_FALSE(tokenizer.ends(n - 2));
  const std::string text = "<|begin_of_text|>a<|end_of_text|>";
  EXPECT_THAT(tokenizer.encode(text, {.add_bos = false, .parse_special = true}), ElementsAre(n - 2, 'a', n - 1));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text, {.parse_special = true})), "a");
}

TEST_P(ShippedModels, LongWordsAreFast) {
  for (const std::string unit : {"a", "the", "xq", " ", "!", "ria"}) {
    std::string text;
    while (text.size() < 1'000'000) text += unit;
    const std::clock_t start = std::clock();
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
    EXPECT_LT((std::clock() - start) / CLOCKS_PER_SEC, 20) << unit;
  }
}

void round_trip(const Tokenizer& tokenizer, const std::string& text) {
  RC_ASSERT(tokenizer.decode(tokenizer.encode(text)) == text);
  RC_ASSERT(tokenizer.decode(tokenizer.encode(text, {.parse_special = true})) == text);
}

RC_GTEST_PROP(RoundTrip, AnyBytes, (const std::string& text)) {
  static const Tokenizer tokenizer = shipped("paris-a");
  round_trip(tokenizer, text);
}

RC_GTEST_PROP(RoundTrip, AnyMixture, ()) {
  static const Tokenizer tokenizer = shipped("paris-b");
  const auto part = rc::gen::element<std::string>(" the", "capital", " is", "\u4E2D", "\U0001F44D", "\xF0\x9F", "'S",
                                                  "\r\n", "12", "  ", std::string(1, '\0'), "<|", "Paris");
  std::string text;
  for (const std::string& s : *rc::gen::container<std::vector<std::string>>(part)) text += s;
  round_trip(tokenizer, text);
}

TEST(TokenizerRules, MergesByRankAndLeftmost) {
  TokenizerFile f = byte_level();
  const TokenId bc = f.add("bc");
  const TokenId ab = f.add("ab");
  const TokenId aa = f.add("aa");
  f.merges = {"b c", "a b", "a a"};
  const Tokenizer t = f.load();
  EXPECT_THAT(t.encode("abcx"), ElementsAre('a', bc, 'x'));  // not leftmost: lowest rank
  EXPECT_THAT(t.encode("abx"), ElementsAre(ab, 'x'));
  EXPECT_THAT(t.encode("aaax"), ElementsAre(aa, 'a', 'x'));  // equals: leftmost
  EXPECT_THAT(t.encode("aabc"), ElementsAre(aa, bc));
  EXPECT_THAT(t.encode("a bc"), ElementsAre('a', ' ', bc));
  EXPECT_THAT(t.encode(""), ElementsAre());
}

// "b c" was possible until b went into "ab"; it must leave no trace when its turn comes, before "d e" and "c de".
TEST(TokenizerRules, AMergeThatIsNoLongerPossibleIsForgotten) {
  TokenizerFile f = byte_level();
  const TokenId ab = f.add("ab");
  f.add("bc");
  f.add("de");
  const TokenId cde = f.add("cde");
  f.merges = {"a b", "b c", "d e", "c de"};
  EXPECT_THAT(f.load().encode("abcde"), ElementsAre(ab, cde));
}

TEST(TokenizerRules, APieceThatIsATokenIsNotMerged) {
  TokenizerFile f = byte_level();
  const TokenId whole = f.add("\u0120abc");
  const TokenId ab = f.add("ab");
  f.merges = {"a b"};
  const Tokenizer t = f.load();
  EXPECT_THAT(t.encode(" abc"), ElementsAre(whole));
  EXPECT_THAT(t.encode(" abcd"), ElementsAre(' ', ab, 'c', 'd'));
  EXPECT_THAT(t.encode("abc"), ElementsAre(ab, 'c'));
}

TEST(TokenizerRules, MergesDoNotCrossPieces) {
  TokenizerFile f = byte_level();
  f.add("a\u0120");
  f.merges = {"a \u0120"};
  EXPECT_EQ(f.load().encode("a a"), byte_ids("a a"));
}

TEST(TokenizerRules, ParseSpecial) {
  TokenizerFile f = byte_level();
  const TokenId open = f.add("<|", 3);
  const TokenId x = f.add("<|x|>", 3);
  const TokenId xy = f.add("<|x|>y", 4);
  const TokenId odd = f.add("\u00E9 \u4E2D", 4);
  f.add("<|unused|>", 5);
  f.add("??", 2);
  const Tokenizer t = f.load();
  const std::string text = "1<|x|>y<|x|>z\u00E9 \u4E2D<|unused|>??";
  Ids expected = {'1', xy, x, 'z', odd, open};
  for (const TokenId id : byte_ids("unused|>??")) expected.push_back(id);
  EXPECT_EQ(t.encode(text, {.parse_special = true}), expected);
  EXPECT_EQ(t.encode(text), byte_ids(text));
  EXPECT_EQ(t.decode(expected, true), text);
  EXPECT_EQ(t.decode(expected), "1<|x|>yz\u00E9 \u4E2Dunused|>??");  // user-defined is text
}

// A special token whose text is one piece is not made from plain text, nor is an unused one.
TEST(TokenizerRules, PlainTextNeverBecomesASpecialToken) {
  TokenizerFile f = byte_level();
  for (const uint32_t type : {2U, 3U, 4U, 5U}) f.add("word" + std::string(type, 'x'), type);
  const Tokenizer t = f.load();
  for (const std::string text : {"wordxx", "wordxxx", "wordxxxx", "wordxxxxx"})
    EXPECT_EQ(t.encode(text), byte_ids(text));
}

TEST(TokenizerRules, BytesFallBack) {
  TokenizerFile f;
  const TokenId b = f.add("b");
  const TokenId byte_a = f.add("<0x61>", 6);
  f.add("<0x62>", 6);  // not needed: there is a normal token
  const TokenId high = f.add("<0xFF>", 6);
  const TokenId whole = f.add("cb");
  const Tokenizer t = f.load();
  EXPECT_THAT(t.encode("ab\xFF"), ElementsAre(byte_a, b, high));
  EXPECT_EQ(t.decode(Ids{byte_a, b, high}), "ab\xFF");
  EXPECT_THAT(t.encode("cb"), ElementsAre(whole));
  try {
    t.encode("abc\n");
    FAIL();
  } catch (const text::Error& e) {
    EXPECT_STREQ(e.what(), "this model has no token for \"c\", a byte of the text");
  }
}

TEST(TokenizerRules, Bos) {
  TokenizerFile f = byte_level();
  const Ids plain = {'a'};
  EXPECT_EQ(f.load().encode("a"), plain);  // no bos, nothing said
  EXPECT_THROW(f.load().encode("a", {.add_bos = true}), text::Error);
  const TokenId bos = f.add("<s>", 3);
  f.bos = static_cast<uint32_t>(bos);
  const Ids with = {bos, 'a'};
  EXPECT_EQ(f.load().encode("a"), with);  // the default
  EXPECT_EQ(f.load().encode("a", {.add_bos = false}), plain);
  f.add_bos = false;
  EXPECT_EQ(f.load().encode("a"), plain);
  EXPECT_EQ(f.load().encode("a", {.add_bos = true}), with);
  f.add_bos = true;
  EXPECT_EQ(f.load().encode(""), Ids{bos});
}

TEST(TokenizerRules, BadIdsAreErrors) {
  const Tokenizer t = byte_level().load();
  for (const TokenId id : {-1, 256, 0x7FFFFFFF}) {
    EXPECT_THROW(t.decode(Ids{id}), text::Error) << id;
    EXPECT_THROW(t.bytes(id), text::Error) << id;
    EXPECT_THROW(t.hidden(id), text::Error) << id;
  }
}

// The definition, step by step: the whole sequence is searched for each merge.
Ids merged_slowly(const std::vector<text::Merge>& merges, Ids ids) {
  while (true) {
    size_t best_rank = merges.size();
    size_t best_at = 0;
    for (size_t at = 0; at + 1 < ids.size(); ++at) {
      for (size_t rank = 0; rank < best_rank; ++rank) {
        if (merges[rank].left != ids[at] || merges[rank].right != ids[at + 1]) continue;
        best_rank = rank;
        best_at = at;
      }
    }
    if (best_rank == merges.size()) return ids;
    ids[best_at] = merges[best_rank].result;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best_at) + 1);
  }
}

// Ranks in any order, as a file may have them: a new pair can go before the one that made it.
RC_GTEST_PROP(MergesOf, RandomVocabulariesAreAsDefined, ()) {
  std::vector<text::Merge> merges;
  const auto count = *rc::gen::inRange<TokenId>(0, 12);
  for (TokenId result = 3; result < 3 + count; ++result) {
    merges.push_back({*rc::gen::inRange<TokenId>(0, result), *rc::gen::inRange<TokenId>(0, result), result});
  }
  const auto order = *rc::gen::container<std::vector<uint32_t>>(merges.size(), rc::gen::arbitrary<uint32_t>());
  for (size_t i = 0; i < merges.size(); ++i) std::swap(merges[i], merges[order[i] % merges.size()]);
  const auto symbols = *rc::gen::scale(3, rc::gen::container<Ids>(rc::gen::inRange<TokenId>(0, 3)));
  RC_ASSERT(text::Merges(merges).apply(symbols) == merged_slowly(merges, symbols));
}

}  // namespace
}  // namespace tritcheck
