// Token ids to text as they are generated, for a screen: never half a character.
#pragma once

#include <string>

#include "engine/text/tokenizer.h"
#include "engine/text/utf8.h"

namespace tritcheck::text {

/// What push() returned one after the other, and flush() at last, is utf8::replace_invalid(tokenizer.decode(ids)):
/// valid UTF-8 whatever the ids. Bytes that are no character become U+FFFD, not raw bytes: a terminal or a JSON string
/// must not break on a model that has gone astray. Whoever wants the bytes has Tokenizer::decode().
class Detokenizer {
 public:
  /// `tokenizer` must outlive this. Hidden tokens (Tokenizer::hidden()) are left out unless asked for.
  explicit Detokenizer(const Tokenizer& tokenizer, bool show_hidden = false)
      : tokenizer_(&tokenizer), show_hidden_(show_hidden) {}

  /// The characters that this token completes; often none, sometimes several. Throws Error for a bad id, and is then as
  /// before.
  std::string push(TokenId id);
  /// U+FFFD for a character that was left incomplete, or nothing. A new text may follow.
  std::string flush() { return stream_.flush(); }

 private:
  const Tokenizer* tokenizer_;
  bool show_hidden_;
  utf8::Stream stream_;
};

}  // namespace tritcheck::text
