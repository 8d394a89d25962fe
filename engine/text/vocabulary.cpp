#include "engine/text/vocabulary.h"

#include <algorithm>
#include <numeric>

#include "engine/text/byte_alphabet.h"
#include "engine/text/error.h"

namespace tritcheck::text {
namespace {

constexpr std::string_view kTokens = "tokenizer.ggml.tokens";
constexpr std::string_view kTypes = "tokenizer.ggml.token_type";
constexpr std::string_view kMerges = "tokenizer.ggml.merges";

std::string quoted(std::string_view text) {
  return "\"" + gguf::printable(text) + "\"";
}

// An error about a value that is there: names key, byte, and what is wrong.
[[noreturn]] void fail(const gguf::File& file, std::string_view key, const std::string& problem) {
  const gguf::Value* value = file.value(key);
  throw gguf::Error("metadata " + quoted(key) + " value", value != nullptr ? value->offset : 0, problem);
}

[[noreturn]] void fail_token(const gguf::File& file, size_t id, std::string_view text, const std::string& problem) {
  fail(file, kTokens, "token " + std::to_string(id) + ", " + quoted(text) + ", " + problem);
}

// One type for each token; all are normal if the file does not say.
std::vector<TokenType> types(const gguf::File& file, size_t tokens) {
  std::vector<TokenType> out(tokens, TokenType::normal);
  const auto stored = file.find_array<int64_t>(kTypes);
  if (!stored) return out;
  if (stored->size() != tokens) {
    fail(file, kTypes, std::to_string(stored->size()) + " types for " + std::to_string(tokens) + " tokens");
  }
  for (size_t id = 0; id < tokens; ++id) {
    const int64_t type = (*stored)[id];
    if (type < 1 || type > 6) {
      fail(file, kTypes, "token " + std::to_string(id) + " is of type " + std::to_string(type) + ", known are 1 to 6");
    }
    out[id] = static_cast<TokenType>(type);
  }
  return out;
}

void check_distinct(const gguf::File& file, const std::vector<std::string_view>& texts) {
  std::vector<size_t> order(texts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return texts[a] != texts[b] ? texts[a] < texts[b] : a < b; });
  for (size_t i = 1; i < order.size(); ++i) {
    if (texts[order[i - 1]] == texts[order[i]]) {
      fail_token(file, order[i], texts[order[i]], "is token " + std::to_string(order[i - 1]) + " as well");
    }
  }
}

// The byte that "<0x0A>" stands for.
std::optional<uint8_t> byte_of(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return std::nullopt;
  const size_t high = kDigits.find(text[3]);
  const size_t low = kDigits.find(text[4]);
  if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
  return static_cast<uint8_t>(high << 4 | low);
}

std::string bytes_of(const gguf::File& file, size_t id, std::string_view text, TokenType type) {
  if (text.empty()) fail_token(file, id, text, "is empty");
  if (type == TokenType::byte) {
    const std::optional<uint8_t> byte = byte_of(text);
    if (!byte) fail_token(file, id, text, "is of type byte, but not written like <0x0A>");
    return std::string(1, static_cast<char>(*byte));
  }
  if (type != TokenType::normal) return std::string(text);
  std::optional<std::string> bytes = from_alphabet(text);
  if (!bytes) fail_token(file, id, text, "is not written in the byte alphabet of GPT-2");
  return *std::move(bytes);
}

std::vector<Token> load_tokens(const gguf::File& file, const std::vector<std::string_view>& texts,
                               const std::vector<TokenType>& type) {
  check_distinct(file, texts);
  std::vector<Token> out;
  out.reserve(texts.size());
  for (size_t id = 0; id < texts.size(); ++id) out.push_back({bytes_of(file, id, texts[id], type[id]), type[id]});
  return out;
}

// "Ġ c" is one space between two tokens; in the alphabet no token has a space in it.
std::vector<Merge> load_merges(const gguf::File& file, const std::vector<Token>& tokens) {
  const std::vector<TokenId> sorted = sorted_normal(tokens);
  std::vector<Merge> out;
  for (const std::string_view text : file.get_array<std::string_view>(kMerges)) {
    const auto refuse = [&](const std::string& problem) {
      fail(file, kMerges, "merge " + std::to_string(out.size()) + ", " + quoted(text) + ", " + problem);
    };
    const auto token = [&](const std::string& part) {
      const std::optional<std::string> bytes = from_alphabet(part);
      const auto id = bytes ? find_sorted(tokens, sorted, *bytes) : std::nullopt;
      if (!id) refuse("needs " + quoted(part) + ", which is no normal token");
      return *id;
    };
    const size_t space = text.find(' ');
    if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos) {
      refuse("is not two tokens with a space between");
    }
    const std::string left(text.substr(0, space));
    const std::string right(text.substr(space + 1));
    out.push_back({token(left), token(right), token(left + right)});
  }
  return out;
}

std::optional<TokenId> special_id(const gguf::File& file, std::string_view key, size_t tokens) {
  const auto id = file.find<int64_t>(key);
  if (!id) return std::nullopt;
  if (*id < 0 || static_cast<uint64_t>(*id) >= tokens) {
    fail(file, key, "token " + std::to_string(*id) + " is not one of the " + std::to_string(tokens) + " tokens");
  }
  return static_cast<TokenId>(*id);
}

std::optional<TokenId> control_token(const std::vector<Token>& tokens, std::string_view text) {
  for (size_t id = 0; id < tokens.size(); ++id) {
    if (tokens[id].type == TokenType::control && tokens[id].bytes == text) return static_cast<TokenId>(id);
  }
  return std::nullopt;
}

}  // namespace

std::vector<TokenId> sorted_normal(const std::vector<Token>& tokens) {
  std::vector<TokenId> out;
  for (size_t id = 0; id < tokens.size(); ++id) {
    if (tokens[id].type == TokenType::normal) out.push_back(static_cast<TokenId>(id));
  }
  const auto bytes = [&](TokenId id) -> std::string_view { return tokens[static_cast<size_t>(id)].bytes; };
  std::sort(out.begin(), out.end(), [&](TokenId a, TokenId b) { return bytes(a) < bytes(b); });
  return out;
}

std::optional<TokenId> find_sorted(const std::vector<Token>& tokens, const std::vector<TokenId>& sorted,
                                   std::string_view bytes) {
  const auto of = [&](TokenId id) -> std::string_view { return tokens[static_cast<size_t>(id)].bytes; };
  const auto it = std::lower_bound(sorted.begin(), sorted.end(), bytes,
                                   [&](TokenId id, std::string_view wanted) { return of(id) < wanted; });
  if (it == sorted.end() || of(*it) != bytes) return std::nullopt;
  return *it;
}

Vocabulary load_vocabulary(const gguf::File& file, std::optional<std::string_view> assumed_pre) {
  if (const std::optional<std::string> why = why_no_text(file, assumed_pre)) throw Error(*why);
  const auto texts = file.get_array<std::string_view>(kTokens);
  std::vector<TokenType> type = types(file, texts.size());
  Vocabulary out;
  out.bos = special_id(file, "tokenizer.ggml.bos_token_id", texts.size());
  out.eos = special_id(file, "tokenizer.ggml.eos_token_id", texts.size());
  out.eot = special_id(file, "tokenizer.ggml.eot_token_id", texts.size());
  for (const auto id : {out.bos, out.eos, out.eot}) {
    if (id) type[static_cast<size_t>(*id)] = TokenType::control;
  }
  out.tokens = load_tokens(file, texts, type);
  out.merges = load_merges(file, out.tokens);
  if (!out.eot) out.eot = control_token(out.tokens, "<|eot_id|>");
  constexpr std::string_view kAddBos = "tokenizer.ggml.add_bos_token";
  const auto add_bos = file.find<bool>(kAddBos);
  if (add_bos.value_or(false) && !out.bos) fail(file, kAddBos, "true, but there is no tokenizer.ggml.bos_token_id");
  out.add_bos = add_bos.value_or(out.bos.has_value());
  return out;
}

}  // namespace tritcheck::text
