#include "engine/text/pieces.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <string>

#include "engine/text/error.h"
#include "engine/text/utf8.h"

namespace tritcheck::text {
namespace {

// White_Space of PropList.txt, as the inside of a character class.
#define WHITE R"(\t-\r\x{20}\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})"

// clang-format off
constexpr std::string_view kPattern =
    "'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]"
    R"(|[^\r\n\p{L}\p{N}]?\p{L}+)"
    R"(|\p{N}{1,3})"
    R"(|\x{20}?[^)" WHITE R"(\p{L}\p{N}]+[\r\n]*)"
    "|[" WHITE R"(]*[\r\n]+)"
    "|[" WHITE "]+(?![^" WHITE "])"
    "|[" WHITE "]+";
// clang-format on

#undef WHITE

// Stands for an invalid byte. To the pattern it is what U+FFFD is, a sign without a meaning of its own, but one byte
// long, so that positions stay.
constexpr char kSubstitute = '\x1A';

std::string message(int code) {
  PCRE2_UCHAR buffer[256] = {};
  pcre2_get_error_message(code, buffer, sizeof buffer);
  return {buffer, std::find(std::begin(buffer), std::end(buffer), 0)};
}

struct Free {
  void operator()(pcre2_code* p) const { pcre2_code_free(p); }
  void operator()(pcre2_match_data* p) const { pcre2_match_data_free(p); }
  void operator()(pcre2_match_context* p) const { pcre2_match_context_free(p); }
};

// The compiled pattern: made once, never changed, so threads may share it.
const pcre2_code* compiled() {
  static const std::unique_ptr<pcre2_code, Free> code = [] {
    int error = 0;
    PCRE2_SIZE at = 0;
    const auto* pattern = reinterpret_cast<PCRE2_SPTR>(kPattern.data());
    pcre2_code* made = pcre2_compile(pattern, kPattern.size(), PCRE2_UTF, &error, &at, nullptr);
    if (made == nullptr)
      throw Error("this PCRE2 cannot compile the pre-tokeniser (built without Unicode?): " + message(error));
    return std::unique_ptr<pcre2_code, Free>(made);
  }();
  return code.get();
}

// Well-formed UTF-8 of the same length.
std::string substitute_invalid(std::string_view text) {
  std::string out(text);
  for (size_t at = 0; at < text.size();) {
    const utf8::Front next = utf8::front(text.substr(at));
    if (next.kind != utf8::Kind::whole) out.replace(at, next.bytes, next.bytes, kSubstitute);
    at += next.bytes;
  }
  return out;
}

}  // namespace

std::vector<std::string_view> split_pieces(std::string_view text) {
  const pcre2_code* code = compiled();
  const std::unique_ptr<pcre2_match_data, Free> match(pcre2_match_data_create(1, nullptr));
  const std::unique_ptr<pcre2_match_context, Free> context(pcre2_match_context_create(nullptr));
  if (!match || !context) throw std::bad_alloc();
  // The default limit, 10^7 steps back, is within reach of a long run of spaces. Removing it is safe: there are steps
  // back only in white space, and a run of it is four pieces at most (newlines after signs, up to the last newline, all
  // but the last character, that character), so all steps together are linear.
  pcre2_set_match_limit(context.get(), std::numeric_limits<uint32_t>::max());

  const std::string subject = substitute_invalid(text);
  std::vector<std::string_view> out;
  for (size_t at = 0; at < text.size();) {
    // the check of the whole rest at every match would be quadratic; the subject is well-formed by construction
    const int rc = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(subject.data()), subject.size(), at,
                               PCRE2_ANCHORED | PCRE2_NO_UTF_CHECK, match.get(), context.get());
    // every character is a letter, a digit, white space or a sign, so something always matches
    if (rc < 0) throw Error("the pre-tokeniser failed at byte " + std::to_string(at) + " of the text: " + message(rc));
    const size_t end = pcre2_get_ovector_pointer(match.get())[1];
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

}  // namespace tritcheck::text
