// What a GGUF file says of its tokeniser, checked.
//
// Keys (all tokenizer.ggml.*): model and pre name the kind; tokens, token_type and merges are the vocabulary;
// bos_token_id, eos_token_id, eot_token_id and add_bos_token say how it is used. llama.cpp's gguf-py/constants.py and
// llama-vocab.cpp are the source of keys, type numbers and defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/merges.h"
#include "reference/gguf.h"

namespace tritcheck::text {

/// The numbers are those of the format.
enum class TokenType : uint8_t {
  normal = 1,    ///< part of text, written in the byte alphabet
  unknown,       ///< stands for what cannot be tokenised; never made here
  control,       ///< "<|eot_id|>": no text; bos, eos and eot are taken for this, whatever the file says
  user_defined,  ///< text that is one token as it stands
  unused,        ///< a place without a meaning
  byte           ///< "<0x0A>": one byte
};

struct Token {
  std::string bytes;  ///< what it stands for: the text as in the file but for types normal and byte; never empty
  TokenType type = TokenType::normal;
};

struct Vocabulary {
  std::vector<Token> tokens;  ///< by id
  std::vector<Merge> merges;  ///< by rank
  std::optional<TokenId> bos;
  std::optional<TokenId> eos;
  std::optional<TokenId> eot;  ///< end of turn: by its key, else the control token "<|eot_id|>" if there is one
  bool add_bos = false;  ///< text begins with bos: add_bos_token, else true if there is a bos (llama-bpe's default)
};

/// Why text on this file cannot be tokenised, as one line that says what is supported; nothing if its kind of tokeniser
/// is ours. A file of another kind is no error: it can still be given token ids. `assumed_pre` is taken where the file
/// has no tokenizer.ggml.pre. Throws gguf::Error if a key is there with a value of another type.
std::optional<std::string> why_no_text(const gguf::File& file, std::optional<std::string_view> assumed_pre = {});

/// Reads and checks everything; copies, so the file may go. Throws Error with why_no_text(), and gguf::Error with key
/// and value for what is missing or contradicts itself: arrays of different lengths, tokens that are empty, there
/// twice, of an unknown type or outside the alphabet, merges that are not two normal tokens making a third, ids beyond
/// the vocabulary.
Vocabulary load_vocabulary(const gguf::File& file, std::optional<std::string_view> assumed_pre = {});

/// Ids of the normal tokens, sorted by their bytes, for find_sorted().
std::vector<TokenId> sorted_normal(const std::vector<Token>& tokens);

/// The normal token with these bytes.
std::optional<TokenId> find_sorted(const std::vector<Token>& tokens, const std::vector<TokenId>& sorted,
                                   std::string_view bytes);

}  // namespace tritcheck::text
