// Streams of ids and bytes to characters.
#include "engine/text/detokenizer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/tokenizer_file.h"

namespace tritcheck {
namespace {

using testing::byte_ids;
using testing::byte_level;
using testing::TokenizerFile;
using text::Detokenizer;
using text::TokenId;
namespace utf8 = text::utf8;

const std::string kBad(utf8::kReplacement);

std::string times(int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += kBad;
  return out;
}

// The Unicode Standard, 3.9, tables 3-8 to 3-11.
TEST(Utf8, InvalidPartsAreReplacedAsUnicodeSays) {
  EXPECT_EQ(utf8::replace_invalid("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), times(8) + "A");
  EXPECT_EQ(utf8::replace_invalid("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), times(8) + "A");
  EXPECT_EQ(utf8::replace_invalid("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), times(5) + "A" + times(2) + "B");
  EXPECT_EQ(utf8::replace_invalid("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), times(4) + "A");
  EXPECT_EQ(utf8::replace_invalid(""), "");
  EXPECT_EQ(utf8::replace_invalid("\xF0\x9F\x91"), times(1));
}

// Every code point there is, and none of those there are not.
TEST(Utf8, CodePoints) {
  for (uint32_t c = 0; c < 0x120000; ++c) {
    std::string s;
    const auto tail = [&](int shift) { s += static_cast<char>(0x80U | (c >> shift & 0x3FU)); };
    if (c < 0x80) {
      s += static_cast<char>(c);
    } else if (c < 0x800) {
      s += static_cast<char>(0xC0U | c >> 6);
      tail(0);
    } else if (c < 0x10000) {
      s += static_cast<char>(0xE0U | c >> 12);
      tail(6), tail(0);
    } else {
      s += static_cast<char>(0xF0U | c >> 18);
      tail(12), tail(6), tail(0);
    }
    const utf8::Front front = utf8::front(s);
    const bool exists = c < 0x110000 && (c < 0xD800 || c > 0xDFFF);
    ASSERT_EQ(front.kind == utf8::Kind::whole, exists) << std::hex << c;
    if (exists) {
      ASSERT_EQ(front.bytes, s.size());
      ASSERT_EQ(utf8::code_point(s), c);
      for (size_t n = 1; n < s.size(); ++n) ASSERT_EQ(utf8::front(s.substr(0, n)).kind, utf8::Kind::cut);
    }
  }
}

rc::Gen<std::string> mixed_bytes() {
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
                          "a", "\u00E9", "\u4E2D", "\U0001F44D", "\xC3", "\xE4", "\xB8", "\xF0", "\x9F", "\x91", "\xED",
                          "\xA0", "\xFF", std::string(1, '\0'))),
                      [](const std::vector<std::string>& parts) {
                        std::string out;
                        for (const std::string& p : parts) out += p;
                        return out;
                      });
}

bool valid(std::string_view text) {
  return utf8::replace_invalid(text) == text;
}

RC_GTEST_PROP(Utf8, AnyPortionsGiveTheWhole, ()) {
  const std::string text = *mixed_bytes();
  utf8::Stream stream;
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const auto n = *rc::gen::inRange<size_t>(1, 6);
    const std::string portion = stream.push(std::string_view(text).substr(at, n));
    RC_ASSERT(valid(portion));
    out += portion;
    at += n;
  }
  out += stream.flush();
  RC_ASSERT(out == utf8::replace_invalid(text));
  RC_ASSERT(stream.flush().empty());
}

// Nothing is held back longer than needed: after each byte, what is out is all but the last, incomplete character.
TEST(Utf8, CharactersComeAsSoonAsTheyAreWhole) {
  utf8::Stream stream;
  const auto push = [&](const char* bytes) { return stream.push(bytes); };
  EXPECT_EQ(push("a"), "a");
  EXPECT_EQ(push("\xF0"), "");
  EXPECT_EQ(push("\x9F\x91"), "");
  EXPECT_EQ(push("\x8D"), "\U0001F44D");
  EXPECT_EQ(push("\xE4\xB8"), "");
  EXPECT_EQ(push("a\xC3"), kBad + "a");
  EXPECT_EQ(push("\xC3"), kBad);
  EXPECT_EQ(push("\xA9\xFF"), "\u00E9" + kBad);
  EXPECT_EQ(push("\xC3"), "");
  EXPECT_EQ(stream.flush(), kBad);
  EXPECT_EQ(push("\xA9"), kBad);  // not joined with what was flushed
}

struct Special {
  TokenizerFile file = byte_level();
  TokenId control = file.add("<|c|>", 3);
  TokenId unused = file.add("<|u|>", 5);
  TokenId user = file.add("<|x|>", 4);
  TokenId half = file.add(text::to_alphabet("x\xE4\xB8"));
  text::Tokenizer tokenizer = file.load();
};

TEST(Detokenizer, HiddenTokensShowOnlyWhenAsked) {
  const Special s;
  Detokenizer quiet(s.tokenizer);
  EXPECT_EQ(quiet.push('a'), "a");
  EXPECT_EQ(quiet.push(s.control), "");
  EXPECT_EQ(quiet.push(s.unused), "");
  EXPECT_EQ(quiet.push(s.user), "<|x|>");
  Detokenizer all(s.tokenizer, true);
  EXPECT_EQ(all.push(s.control), "<|c|>");
  EXPECT_EQ(all.push(s.unused), "<|u|>");
}

TEST(Detokenizer, HiddenTokensDoNotPartACharacter) {
  const Special s;
  Detokenizer quiet(s.tokenizer);
  EXPECT_EQ(quiet.push(s.half), "x");
  EXPECT_EQ(quiet.push(s.control), "");
  EXPECT_EQ(quiet.push(0xAD), "\u4E2D");
  Detokenizer all(s.tokenizer, true);
  EXPECT_EQ(all.push(s.half), "x");
  EXPECT_EQ(all.push(s.control), kBad + "<|c|>");
  EXPECT_EQ(all.push(0xAD), kBad);
}

TEST(Detokenizer, ABadIdIsAnErrorAndChangesNothing) {
  const Special s;
  Detokenizer d(s.tokenizer);
  EXPECT_EQ(d.push(s.half), "x");
  EXPECT_THROW(d.push(-1), text::Error);
  EXPECT_THROW(d.push(260), text::Error);
  EXPECT_EQ(d.push(0xAD), "\u4E2D");
}

RC_GTEST_PROP(Detokenizer, TheStreamIsTheWhole, (bool show_hidden)) {
  static const Special s;
  std::vector<TokenId> ids;
  for (const TokenId id : byte_ids(*mixed_bytes())) {
    ids.push_back(id);
    if (*rc::gen::inRange(0, 4) == 0) ids.push_back(*rc::gen::inRange<TokenId>(256, 260));
  }
  Detokenizer d(s.tokenizer, show_hidden);
  std::string out;
  for (const TokenId id : ids) {
    const std::string part = d.push(id);
    RC_ASSERT(valid(part));
    out += part;
  }
  out += d.flush();
  RC_ASSERT(out == utf8::replace_invalid(s.tokenizer.decode(ids, show_hidden)));
}

}  // namespace
}  // namespace tritcheck
