// What a tokeniser's file may say, and what it is told when it contradicts itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <set>

#include "engine/text/utf8.h"
#include "tests/tokenizer_file.h"

namespace tritcheck {
namespace {

using testing::byte_level;
using testing::TokenizerFile;

// What is said of a file, without the byte at which the value is.
std::string said(const TokenizerFile& file) {
  try {
    file.load();
    return "";
  } catch (const gguf::Error& e) {
    return std::string(e.what()).substr(0, e.field().size()) + ": " +
           std::string(e.what()).substr(std::string(e.what()).find(": ") + 2);
  } catch (const text::Error& e) {
    return e.what();
  }
}

struct Wrong {
  std::string name;
  std::function<void(TokenizerFile&)> change;
  std::string error;
};

void PrintTo(const Wrong& w, std::ostream* out) {
  *out << w.name;
}

const std::string kSupported = "; supported: gpt2 with pre-tokeniser llama-bpe; give token ids with --ids";

const std::vector<Wrong> kWrong = {
    {"NoModel", [](auto& f) { f.model.reset(); }, "this file has no tokeniser (no tokenizer.ggml.model)" + kSupported},
    {"SentencePiece", [](auto& f) { f.model = "llama"; },
     "this file has a SentencePiece tokeniser (tokenizer.ggml.model = \"llama\")" + kSupported},
    {"WordPiece", [](auto& f) { f.model = "bert"; },
     "this file has a WordPiece tokeniser (tokenizer.ggml.model = \"bert\")" + kSupported},
    {"ForeignModel", [](auto& f) { f.model = "x\ny"; },
     "this file has a foreign tokeniser (tokenizer.ggml.model = \"x\\x0ay\")" + kSupported},
    {"NoPre", [](auto& f) { f.pre.reset(); },
     "this file does not name its pre-tokeniser (no tokenizer.ggml.pre)" + kSupported},
    {"OtherPre", [](auto& f) { f.pre = "qwen2"; },
     "this file has another pre-tokeniser (tokenizer.ggml.pre = \"qwen2\")" + kSupported},
    {"NoTokens", [](auto& f) { f.tokens.reset(); }, "metadata \"tokenizer.ggml.tokens\": it is missing, but needed"},
    {"NoMerges", [](auto& f) { f.merges.reset(); }, "metadata \"tokenizer.ggml.merges\": it is missing, but needed"},
    {"TypesTooFew", [](auto& f) { f.types->pop_back(); },
     "metadata \"tokenizer.ggml.token_type\" value: 255 types for 256 tokens"},
    {"TypesTooMany", [](auto& f) { f.types->push_back(1); },
     "metadata \"tokenizer.ggml.token_type\" value: 257 types for 256 tokens"},
    {"TypeUnknown", [](auto& f) { f.types->at(7) = 7; },
     "metadata \"tokenizer.ggml.token_type\" value: token 7 is of type 7, known are 1 to 6"},
    {"TypeZero", [](auto& f) { f.types->at(0) = 0; },
     "metadata \"tokenizer.ggml.token_type\" value: token 0 is of type 0, known are 1 to 6"},
    {"TypeNegative", [](auto& f) { f.types->at(9) = 0xFFFFFFFF; },
     "metadata \"tokenizer.ggml.token_type\" value: token 9 is of type -1, known are 1 to 6"},
    {"TokenTwice", [](auto& f) { f.add("a", 3); },
     "metadata \"tokenizer.ggml.tokens\" value: token 256, \"a\", is token 97 as well"},
    {"TokenEmpty", [](auto& f) { f.add(""); }, "metadata \"tokenizer.ggml.tokens\" value: token 256, \"\", is empty"},
    {"ControlEmpty", [](auto& f) { f.add("", 3); },
     "metadata \"tokenizer.ggml.tokens\" value: token 256, \"\", is empty"},
    {"TokenWithASpace", [](auto& f) { f.add("a b"); },
     "metadata \"tokenizer.ggml.tokens\" value: token 256, \"a b\", is not written in the byte alphabet of GPT-2"},
    {"TokenOutsideTheAlphabet", [](auto& f) { f.add("\u0144"); },
     "metadata \"tokenizer.ggml.tokens\" value: token 256, \"\u0144\", is not written in the byte alphabet of GPT-2"},
    {"TokenNotUtf8", [](auto& f) { f.add("\xC4"); },
     "metadata \"tokenizer.ggml.tokens\" value: token 256, \"\\xc4\", is not written in the byte alphabet of GPT-2"},
    {"ByteToken", [](auto& f) { f.add("<0x0g>", 6); },
     "metadata \"tokenizer.ggml.tokens\" value: token 256, \"<0x0g>\", is of type byte, but not written like <0x0A>"},
    {"MergeOfOne", [](auto& f) { f.merges = {"ab"}; },
     "metadata \"tokenizer.ggml.merges\" value: merge 0, \"ab\", is not two tokens with a space between"},
    {"MergeOfThree", [](auto& f) { f.merges = {"a b c"}; },
     "metadata \"tokenizer.ggml.merges\" value: merge 0, \"a b c\", is not two tokens with a space between"},
    {"MergeOfNothing", [](auto& f) { f.merges = {" a"}; },
     "metadata \"tokenizer.ggml.merges\" value: merge 0, \" a\", needs \"\", which is no normal token"},
    {"MergeOfUnknownLeft", [](auto& f) { f.merges = {"ab c"}; },
     "metadata \"tokenizer.ggml.merges\" value: merge 0, \"ab c\", needs \"ab\", which is no normal token"},
    {"MergeOfUnknownRight", [](auto& f) { f.merges = {"c ab"}; },
     "metadata \"tokenizer.ggml.merges\" value: merge 0, \"c ab\", needs \"ab\", which is no normal token"},
    {"MergeToUnknown",
     [](auto& f) {
       f.add("ab");
       f.merges = {"a b", "b a"};
     },
     "metadata \"tokenizer.ggml.merges\" value: merge 1, \"b a\", needs \"ba\", which is no normal token"},
    {"MergeToControl",
     [](auto& f) {
       f.add("ab", 3);
       f.merges = {"a b"};
     },
     "metadata \"tokenizer.ggml.merges\" value: merge 0, \"a b\", needs \"ab\", which is no normal token"},
    {"BosBeyond", [](auto& f) { f.bos = 256; },
     "metadata \"tokenizer.ggml.bos_token_id\" value: token 256 is not one of the 256 tokens"},
    {"EosBeyond", [](auto& f) { f.eos = 0xFFFFFFFF; },
     "metadata \"tokenizer.ggml.eos_token_id\" value: token 4294967295 is not one of the 256 tokens"},
    {"EotBeyond", [](auto& f) { f.eot = 1000; },
     "metadata \"tokenizer.ggml.eot_token_id\" value: token 1000 is not one of the 256 tokens"},
    {"AddBosWithoutBos", [](auto& f) { f.add_bos = true; },
     "metadata \"tokenizer.ggml.add_bos_token\" value: true, but there is no tokenizer.ggml.bos_token_id"},
};

class WrongFiles : public ::testing::TestWithParam<Wrong> {};
INSTANTIATE_TEST_SUITE_P(All, WrongFiles, ::testing::ValuesIn(kWrong),
                         [](const auto& info_) { return info_.param.name; });

TEST_P(WrongFiles, AreRefusedByName) {
  TokenizerFile file = byte_level();
  EXPECT_EQ(said(file), "");
  GetParam().change(file);
  EXPECT_EQ(said(file), GetParam().error);
}

std::optional<std::string> why(const TokenizerFile& file, std::optional<std::string_view> assumed_pre = {}) {
  const std::vector<uint8_t> bytes = file.bytes();
  return text::why_no_text(gguf::parse(bytes), assumed_pre);
}

TEST(WhyNoText, IsWhatLoadingSays) {
  TokenizerFile file = byte_level();
  EXPECT_EQ(why(file), std::nullopt);
  file.model = "llama";
  EXPECT_EQ(why(file), said(file));
}

TEST(WhyNoText, AnAssumedPreFillsAGapOnly) {
  TokenizerFile file = byte_level();
  file.pre.reset();
  EXPECT_NE(why(file), std::nullopt);
  EXPECT_EQ(why(file, "llama-bpe"), std::nullopt);
  EXPECT_NE(why(file, "qwen2"), std::nullopt);
  EXPECT_EQ(file.load("llama-bpe").size(), 256U);
  file.pre = "qwen2";
  EXPECT_NE(why(file, "llama-bpe"), std::nullopt);
}

TEST(LoadVocabulary, WithoutTypesAllAreNormalButTheNamedOnes) {
  TokenizerFile file = byte_level();
  const text::TokenId bos = file.add("<\u0120>");
  const text::TokenId eos = file.add("eos");
  const text::TokenId eot = file.add("eot");
  file.types.reset();
  file.bos = static_cast<uint32_t>(bos);
  file.eos = static_cast<uint32_t>(eos);
  file.eot = static_cast<uint32_t>(eot);
  const text::Tokenizer t = file.load();
  for (const text::TokenId id : {bos, eos, eot}) EXPECT_TRUE(t.hidden(id));
  EXPECT_FALSE(t.hidden('a'));
  EXPECT_EQ(t.bytes(bos), "<\u0120>");  // not from the alphabet
  EXPECT_TRUE(t.ends(eos) && t.ends(eot) && !t.ends(bos));
  EXPECT_EQ(t.encode("eos", {.add_bos = false}), testing::byte_ids("eos"));
}

TEST(LoadVocabulary, EndOfTurnIsFoundByItsText) {
  TokenizerFile file = byte_level();
  const text::TokenId eot = file.add("<|eot_id|>", 3);
  EXPECT_EQ(file.load().eot(), eot);
  file.eot = static_cast<uint32_t>(file.add("<end>", 3));
  EXPECT_EQ(file.load().eot(), eot + 1);
  file.eot.reset();
  file.types->at(static_cast<size_t>(eot)) = 4;
  EXPECT_EQ(file.load().eot(), std::nullopt);
}

TEST(LoadVocabulary, OfEqualMergesTheFirstCounts) {
  TokenizerFile file = byte_level();
  file.add("ab");
  file.add("bc");
  file.merges = {"a b", "b c", "a b"};
  EXPECT_EQ(file.load().encode("abcd"), (std::vector<text::TokenId>{256, 'c', 'd'}));
}

// GPT-2's rule, written down another way: what is printable stands for itself, the others follow from 256 on.
TEST(ByteAlphabet, IsGpt2s) {
  uint32_t next = 256;
  std::set<std::string> letters;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const std::string raw(1, static_cast<char>(byte));
    const std::string letter = text::to_alphabet(raw);
    const bool printable = (byte > 32 && byte < 127) || (byte > 160 && byte != 173);
    EXPECT_EQ(text::utf8::code_point(letter), printable ? byte : next++) << byte;
    EXPECT_EQ(text::from_alphabet(letter), raw);
    letters.insert(letter);
  }
  EXPECT_EQ(next, 256U + 68U);
  EXPECT_EQ(letters.size(), 256U);
  EXPECT_EQ(text::to_alphabet(" a\n\xC3\xA9"), "\u0120a\u010A\u00C3\u00A9");
  for (const char* foreign : {" ", "\u00AD", "\u0144", "\u4E2D", "\n", "\xC3"}) {
    EXPECT_EQ(text::from_alphabet(foreign), std::nullopt);
  }
}

// A file of the right form with anything in it is loaded or refused, and what is loaded can be used.
RC_GTEST_PROP(LoadVocabulary, AnyFileIsReadOrRefused, ()) {
  TokenizerFile file = byte_level();
  const auto part =
      rc::gen::element<std::string>("a", "b", "ab", "\u0120", "aab", " ", "", "<0x61>", "<|x|>", "\u4E2D");
  for (const auto& t : *rc::gen::scale(0.1, rc::gen::container<std::vector<std::string>>(part))) {
    file.add(t + *part, *rc::gen::inRange<uint32_t>(1, 7));
  }
  if (*rc::gen::element(true, false)) file.merges->push_back(*part + " " + *part);
  if (*rc::gen::element(true, false)) file.bos = *rc::gen::inRange<uint32_t>(250, 260);
  if (*rc::gen::element(true, false)) file.types.reset();
  std::optional<text::Tokenizer> tokenizer;
  try {
    tokenizer = file.load();
  } catch (const std::runtime_error& e) {
    RC_ASSERT(!std::string(e.what()).empty());
    return;
  }
  const auto text = *rc::gen::arbitrary<std::string>();
  try {
    RC_ASSERT(tokenizer->decode(tokenizer->encode(text)) == text);
  } catch (const text::Error& e) {
    RC_ASSERT(std::string(e.what()).find("no token for") != std::string::npos);
  }
}

}  // namespace
}  // namespace tritcheck
