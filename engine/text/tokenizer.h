// Text to token ids and back: byte-level BPE as Llama 3 has it, from a GGUF file.
//
//   if (auto why = text::why_no_text(file)) ...                  // token ids only
//   const text::Tokenizer tokenizer(file);                       // throws gguf::Error, text::Error
//   std::vector<text::TokenId> ids = tokenizer.encode("The capital of France is");
//   std::string same = tokenizer.decode(ids);
//
// Text is bytes, UTF-8 or not: decode(encode(x)) == x for all of them. encode() splits (pieces.h); a piece that is
// itself a normal token is that token, even if no merges lead there (`ignore_merges` of llama-bpe); else its bytes are
// merged (merges.h). A byte that is no token by itself becomes a token of type byte, "<0x0A>", if there is one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/error.h"
#include "engine/text/special_tokens.h"
#include "engine/text/vocabulary.h"

namespace tritcheck::text {

struct EncodeOptions {
  std::optional<bool> add_bos = {};  ///< begin with bos; nothing: as the file says
  /// Texts of control and user-defined tokens become these tokens: the first in the text, of several the longest. What
  /// lies between is split on its own. Off, they are text like any other and never become special tokens: a prompt
  /// cannot close its own turn. (llama.cpp takes user-defined ones also when it is off.)
  bool parse_special = false;
};

/// Never changes after it is made; threads may share it.
class Tokenizer {
 public:
  static constexpr size_t kMaxText = 0x7FFFFFFF;  ///< bytes of a text

  /// As load_vocabulary().
  explicit Tokenizer(const gguf::File& file, std::optional<std::string_view> assumed_pre = {});

  /// Throws Error for a byte that no token can express, for add_bos without a bos, and for text beyond kMaxText.
  /// O(n log n), also for text without any space.
  std::vector<TokenId> encode(std::string_view text, const EncodeOptions& options = {}) const;

  /// The bytes the ids stand for, one after the other; hidden tokens are left out unless asked for. A character may be
  /// cut at the ends, or wrong, if the ids are no text; for the screen there is Detokenizer. Throws Error for a bad id.
  std::string decode(std::span<const TokenId> ids, bool show_hidden = false) const;

  /// The bytes of one token, hidden or not. Throws Error for an id outside the vocabulary.
  std::string_view bytes(TokenId id) const;
  /// Whether a token is no text: control, unknown or unused.
  bool hidden(TokenId id) const;
  /// Whether generation ends here: eos or eot.
  bool ends(TokenId id) const { return id == eos() || id == eot(); }

  size_t size() const { return vocabulary_.tokens.size(); }
  std::optional<TokenId> bos() const { return vocabulary_.bos; }
  std::optional<TokenId> eos() const { return vocabulary_.eos; }
  std::optional<TokenId> eot() const { return vocabulary_.eot; }
  bool adds_bos() const { return vocabulary_.add_bos; }

 private:
  const Token& token(TokenId id) const;
  void encode_text(std::string_view text, std::vector<TokenId>& out) const;
  void encode_piece(std::string_view piece, std::vector<TokenId>& out) const;

  Vocabulary vocabulary_;
  std::vector<TokenId> sorted_;         // normal tokens by their bytes
  std::vector<TokenId> token_of_byte_;  // 256; -1: no token
  Merges merges_;
  SpecialTokens specials_;
};

}  // namespace tritcheck::text
