#include "engine/text/tokenizer.h"

#include "engine/text/pieces.h"

namespace tritcheck::text {
namespace {

constexpr TokenId kNoToken = -1;

// For each byte the normal token that is it, else the token of type byte.
std::vector<TokenId> tokens_of_bytes(const std::vector<Token>& tokens) {
  std::vector<TokenId> out(256, kNoToken);
  for (const TokenType type : {TokenType::byte, TokenType::normal}) {
    for (size_t id = 0; id < tokens.size(); ++id) {
      const Token& token = tokens[id];
      if (token.type == type && token.bytes.size() == 1) {
        out[static_cast<uint8_t>(token.bytes[0])] = static_cast<TokenId>(id);
      }
    }
  }
  return out;
}

}  // namespace

Tokenizer::Tokenizer(const gguf::File& file, std::optional<std::string_view> assumed_pre)
    : vocabulary_(load_vocabulary(file, assumed_pre)),
      sorted_(sorted_normal(vocabulary_.tokens)),
      token_of_byte_(tokens_of_bytes(vocabulary_.tokens)),
      merges_(vocabulary_.merges),
      specials_(vocabulary_.tokens) {}

const Token& Tokenizer::token(TokenId id) const {
  if (static_cast<size_t>(id) >= size()) {  // a negative one is a very large one
    throw Error("token id " + std::to_string(id) + " is not one of the " + std::to_string(size()) + " tokens");
  }
  return vocabulary_.tokens[static_cast<size_t>(id)];
}

std::string_view Tokenizer::bytes(TokenId id) const {
  return token(id).bytes;
}

bool Tokenizer::hidden(TokenId id) const {
  const TokenType type = token(id).type;
  return type == TokenType::control || type == TokenType::unknown || type == TokenType::unused;
}

std::string Tokenizer::decode(std::span<const TokenId> ids, bool show_hidden) const {
  std::string out;
  for (const TokenId id : ids) {
    if (show_hidden || !hidden(id)) out += bytes(id);
  }
  return out;
}

std::vector<TokenId> Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  if (text.size() > kMaxText) {
    throw Error("the text has " + std::to_string(text.size()) + " bytes, at most " + std::to_string(kMaxText) +
                " can be");
  }
  std::vector<TokenId> out;
  if (options.add_bos.value_or(adds_bos())) {
    if (!bos()) throw Error("this model has no token to begin a text with (no tokenizer.ggml.bos_token_id)");
    out.push_back(*bos());
  }
  size_t at = 0;
  if (options.parse_special) {
    while (const auto found = specials_.next(text, at)) {
      encode_text(text.substr(at, found->at - at), out);
      out.push_back(found->id);
      at = found->at + found->bytes;
    }
  }
  encode_text(text.substr(at), out);
  return out;
}

void Tokenizer::encode_text(std::string_view text, std::vector<TokenId>& out) const {
  for (const std::string_view piece : split_pieces(text)) encode_piece(piece, out);
}

void Tokenizer::encode_piece(std::string_view piece, std::vector<TokenId>& out) const {
  if (const auto whole = find_sorted(vocabulary_.tokens, sorted_, piece)) {
    out.push_back(*whole);
    return;
  }
  std::vector<TokenId> symbols;
  symbols.reserve(piece.size());
  for (const char c : piece) {
    const TokenId id = token_of_byte_[static_cast<uint8_t>(c)];
    if (id == kNoToken)
      throw Error("this model has no token for \"" + gguf::printable({&c, 1}) + "\", a byte of the text");
    symbols.push_back(id);
  }
  const std::vector<TokenId> merged = merges_.apply(symbols);
  out.insert(out.end(), merged.begin(), merged.end());
}

}  // namespace tritcheck::text
