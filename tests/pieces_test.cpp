// The pre-tokeniser: where text is cut. Expected cuts are worked out by hand from the regular expression.
#include "engine/text/pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace tritcheck {
namespace {

using Strings = std::vector<std::string>;
using text::split_pieces;

struct Cut {
  std::string rule;
  Strings pieces;  // joined they are the text
};

void PrintTo(const Cut& cut, std::ostream* out) {
  *out << cut.rule;
}

std::string joined(const Strings& pieces) {
  std::string out;
  for (const std::string& p : pieces) out += p;
  return out;
}

const std::vector<Cut> kCuts = {
    {"empty", {}},
    // contractions; with an x behind, since at the end of a word the second alternative cuts alike
    {"s", {"it", "'s", "x"}},
    {"S", {"IT", "'S", "x"}},
    {"t", {"don", "'t", "x", " can", "'T", "x"}},
    {"re", {"we", "'re", "x", " we", "'RE", "x", " we", "'rE", "x", " we", "'Re", "x"}},
    {"ve", {"I", "'ve", "x", " I", "'VE", "x", " I", "'Ve", "x", " I", "'vE", "x"}},
    {"m d", {"I", "'m", "x", " I", "'M", "x", " I", "'d", "x", " I", "'D", "x"}},
    {"ll", {"we", "'ll", "x", " we", "'LL", "x", " we", "'lL", "x", " we", "'Ll", "x"}},
    {"contraction goes first", {"'s", "and", "'t", "ree"}},
    {"no contraction", {"'x", "1", "'r", "1", "'v", "1", "'l", "1", "'ra", "1", "'er", "1", "'", " s"}},
    {"apostrophe", {"'"}},
    {"two apostrophes", {"''", "s"}},
    {"curly apostrophe", {"it", "\u2019s"}},
    {"long s is no s", {"it", "'\u017Ft"}},
    // words
    {"word", {"word"}},
    {"one character before", {" word", "\tword", "$word", "-word"}},
    {"not two", {"!?", "word", " ", " word"}},
    {"no digit, no newline before", {"1", "word", "\n", "word", "\r", "word"}},
    {"letters of all kinds", {"\u00E9\u0416\u05D0\u4E2D\uAC00\u01C5\u02B0"}},
    {"CJK", {"\u65E5\u672C\u8A9E\u3067\u3059", "\u3002\u7D42"}},
    {"CJK numerals are letters", {"\u4E00\u4E8C\u4E09\u56DB"}},
    {"combining mark is no letter", {"e", "\u0301a", " e", "\u0301"}},
    {"marks inside", {"\u0928\u092E\u0938", "\u094D\u0924", "\u0947"}},
    {"astral letters", {"a\U00010400\U00020000"}},
    // digits
    {"by threes", {"123", "456", "7"}},
    {"no space before", {" ", "12"}},
    {"letters end them", {"a", "1", "b", "22", "c"}},
    {"Arabic-Indic", {"\u0660\u0661\u0662", "\u0663"}},
    {"full width", {"\uFF11\uFF12\uFF13", "\uFF14", "x"}},
    {"letter numbers and others", {"\u2167", "x", "\u00B2\u00BD\u2460", "\u3007"}},
    // signs
    {"space before, newlines after", {" !!\n\r\n", "x"}},
    {"not space after", {"!!", " \n"}},
    {"no tab before", {"\t", "!!"}},
    {"no two spaces before", {" ", " !"}},
    {"comma", {"a", ",", " b", ",c"}},
    {"emoji", {"\U0001F44D\U0001F3FD", " ok"}},
    {"emoji before a word", {"\U0001F44Dok"}},
    {"ZWJ sequence", {"hi", "\U0001F469\u200D\U0001F469\u200D\U0001F467\uFE0F"}},
    {"NUL", {"a", std::string("\0b", 2), " ", std::string(" \0\0", 3), "c"}},
    {"control characters", {"\x01\x7F", "a"}},
    {"zero width space, Mongolian separator", {"\u200B!", " \u180E!"}},
    // white space
    {"newlines", {"a", "\r\n\r\n", "b", "\n\n\n"}},
    {"up to the last newline", {" \n\t\n", "  ", " x"}},
    {"newlines of a sign are its own", {"!\n\n", " \n", " x"}},
    {"all but the last", {"a", "  ", " b"}},
    {"all at the end", {"a", "   "}},
    {"only spaces", {"   "}},
    {"one before a digit", {"a", "  ", " ", "1"}},
    {"tabs", {"\t\t", "\tx", "\t", "1"}},
    {"NBSP", {"\u00A0", "!", "\u00A0", "\u00A0x"}},
    {"ideographic space", {"\u3000", "\u3000\u3042", "\u3000"}},
    {"next line is white, no newline", {"\u0085", "!", "\u0085x", "\u0085\n", "\u0085x"}},
    {"line and paragraph separator", {"\u2028", "!", "\u2029x"}},
    // bytes that are no UTF-8
    {"invalid byte is a sign", {"a", "\xFF", " \xFE\n", "b"}},
    {"invalid byte before a word",
     {"\xFF"
      "a"}},
    {"each byte is one sign", {"\xE4\xB8", "a"}},
    {"cut at the end", {"a", "\xF0\x9F\x91"}},
    {"overlong, surrogate, too large", {"\xC0\xAF", "a", "\xED\xA0\x80", "b", "\xF4\x90\x80\x80", "c"}},
    {"neighbours stay whole", {"\u00E9", "\xFF\u00E9", "\xC3\u00E9", "\xC3(", "\u00E9"}},
};

class Pieces : public ::testing::TestWithParam<Cut> {};
INSTANTIATE_TEST_SUITE_P(All, Pieces, ::testing::ValuesIn(kCuts), [](const auto& info_) {
  std::string out;
  for (const char c : info_.param.rule) out += std::isalnum(c) != 0 ? c : '_';
  return out;
});

TEST_P(Pieces, AreTheExpected) {
  const std::string text = joined(GetParam().pieces);
  const auto pieces = split_pieces(text);
  EXPECT_EQ(Strings(pieces.begin(), pieces.end()), GetParam().pieces);
}

std::string utf8(uint32_t c) {
  const auto tail = [](uint32_t bits) { return static_cast<char>(0x80U | (bits & 0x3FU)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0U | c >> 6), tail(c)};
  return {static_cast<char>(0xE0U | c >> 12), tail(c >> 6), tail(c)};
}

// Twice a white space character before a letter: only the second goes with the letter. (No other kind is cut so.)
TEST(PiecesOf, WhiteSpaceIsUnicodes) {
  const std::set<uint32_t> white = {0x09,   0x0B,   0x0C,   0x20,   0x85,   0xA0,   0x1680, 0x2000,
                                    0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
                                    0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000};  // and newlines: 25
  for (uint32_t c = 0; c < 0x10000; ++c) {
    if (c == '\r' || c == '\n' || (c >= 0xD800 && c < 0xE000)) continue;
    const std::string one = utf8(c);
    const bool is_white = split_pieces(one + one + "x").front() == one;
    ASSERT_EQ(is_white, white.contains(c)) << std::hex << c;
  }
}

// The regular expression once more, without one: on characters whose kind is known.
struct Character {
  std::string bytes;
  char kind;  // L letter, N digit, W white space, R newline, S sign
};

size_t run(const std::vector<Character>& text, size_t at, const std::string& kinds, size_t most = SIZE_MAX) {
  size_t n = 0;
  while (n < most && at + n < text.size() && kinds.find(text[at + n].kind) != std::string::npos) ++n;
  return n;
}

size_t contraction(const std::vector<Character>& text, size_t at) {
  const auto lower = [&](size_t i) {
    return i < text.size() && text[i].bytes.size() == 1 ? std::tolower(text[i].bytes[0]) : 0;
  };
  if (text[at].bytes != "'") return 0;
  const int a = lower(at + 1);
  const int b = lower(at + 2);
  if (a == 's' || a == 't' || a == 'm' || a == 'd') return 2;
  return (a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l') ? 3 : 0;
}

size_t next_piece(const std::vector<Character>& text, size_t at) {
  if (const size_t n = contraction(text, at)) return n;
  const size_t before = run(text, at, "WS", 1);
  if (const size_t n = run(text, at + before, "L")) return before + n;
  if (const size_t n = run(text, at, "N", 3)) return n;
  const size_t space = text[at].bytes == " " ? 1 : 0;
  if (const size_t n = run(text, at + space, "S")) return space + n + run(text, at + space + n, "R");
  const size_t white = run(text, at, "WR");
  for (size_t n = white; n > 0; --n) {
    if (text[at + n - 1].kind == 'R') return n;
  }
  return at + white == text.size() || white == 1 ? white : white - 1;
}

RC_GTEST_PROP(PiecesOf, RandomTextIsCutLikeWithoutRegularExpression, ()) {
  const std::vector<Character> kinds = {
      {"s", 'L'},         {"E", 'L'},      {"l", 'L'},      {"r", 'L'},
      {"V", 'L'},         {"\u017F", 'L'}, {"\u4E2D", 'L'}, {"1", 'N'},
      {"\u0663", 'N'},    {"\u00BD", 'N'}, {" ", 'W'},      {" ", 'W'},
      {"\t", 'W'},        {"\u3000", 'W'}, {"\u0085", 'W'}, {"\r", 'R'},
      {"\n", 'R'},        {"'", 'S'},      {"'", 'S'},      {"!", 'S'},
      {"\u0301", 'S'},    {"\xFF", 'S'},   {"\u200D", 'S'}, {std::string(1, '\0'), 'S'},
      {"\U0001F44D", 'S'}};
  const auto chosen = *rc::gen::container<std::vector<size_t>>(rc::gen::inRange<size_t>(0, kinds.size()));
  std::vector<Character> characters;
  std::string text;
  for (const size_t i : chosen) {
    characters.push_back(kinds[i]);
    text += kinds[i].bytes;
  }
  Strings expected;
  for (size_t at = 0; at < characters.size();) {
    const size_t n = next_piece(characters, at);
    std::string piece;
    for (size_t i = at; i < at + n; ++i) piece += characters[i].bytes;
    expected.push_back(piece);
    at += n;
  }
  const auto pieces = split_pieces(text);
  RC_ASSERT(Strings(pieces.begin(), pieces.end()) == expected);
}

RC_GTEST_PROP(PiecesOf, AnyBytesAreKept, (const std::string& text)) {
  std::string all;
  for (const std::string_view piece : split_pieces(text)) {
    RC_ASSERT(!piece.empty());
    all += piece;
  }
  RC_ASSERT(all == text);
}

// PCRE2's own limit is 10 million steps back; a run of spaces takes one step for each, twice.
TEST(PiecesOf, LongRunsHitNoLimit) {
  const size_t n = 12'000'000;
  EXPECT_EQ(split_pieces(std::string(n, ' ') + "x").size(), 2U);
  EXPECT_EQ(split_pieces(std::string(n, ' ') + "1").size(), 3U);
  EXPECT_EQ(split_pieces(std::string(n, 'x')).size(), 1U);
  EXPECT_EQ(split_pieces(std::string(n, '\'')).size(), 1U);
  EXPECT_EQ(split_pieces(std::string(n, '\n') + std::string(n, ' ') + "x").size(), 3U);
}

// Linear: checking the rest of the text at each of these pieces would take hours.
TEST(PiecesOf, ManyPiecesAreFast) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "a ";
  EXPECT_EQ(split_pieces(text).size(), 1'000'001U);
}

}  // namespace
}  // namespace tritcheck
