// Small GGUF files with nothing but a tokeniser in them, right or wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/text/byte_alphabet.h"
#include "engine/text/tokenizer.h"
#include "reference/gguf.h"
#include "tests/gguf_writer.h"

namespace tritcheck::testing {

struct TokenizerFile {
  std::optional<std::string> model = "gpt2";
  std::optional<std::string> pre = "llama-bpe";
  std::optional<std::vector<std::string>> tokens = std::vector<std::string>{};
  std::optional<std::vector<uint32_t>> types = std::vector<uint32_t>{};
  std::optional<std::vector<std::string>> merges = std::vector<std::string>{};
  std::optional<uint32_t> bos;
  std::optional<uint32_t> eos;
  std::optional<uint32_t> eot;
  std::optional<bool> add_bos;
  std::optional<std::string> chat;

  /// The token's id.
  text::TokenId add(const std::string& text, uint32_t type = 1) {
    tokens->push_back(text);
    types->push_back(type);
    return static_cast<text::TokenId>(tokens->size() - 1);
  }

  std::vector<uint8_t> bytes() const {
    GgufWriter entries;
    uint64_t n = 0;
    const auto key = [&](const std::string& name, uint64_t type) -> GgufWriter& {
      ++n;
      return entries.key("tokenizer." + name, type);
    };
    const auto strings = [&](const std::string& name, const std::vector<std::string>& values) {
      key(name, kArray).u32(kString).u64(values.size());
      for (const std::string& s : values) entries.string(s);
    };
    if (model) key("ggml.model", kString).string(*model);
    if (pre) key("ggml.pre", kString).string(*pre);
    if (tokens) strings("ggml.tokens", *tokens);
    if (merges) strings("ggml.merges", *merges);
    if (types) {
      key("ggml.token_type", kArray).u32(kI32).u64(types->size());
      for (const uint32_t t : *types) entries.u32(t);
    }
    if (bos) key("ggml.bos_token_id", kU32).u32(*bos);
    if (eos) key("ggml.eos_token_id", kU32).u32(*eos);
    if (eot) key("ggml.eot_token_id", kU32).u32(*eot);
    if (add_bos) key("ggml.add_bos_token", kBool).u8(*add_bos ? 1 : 0);
    if (chat) key("chat_template", kString).string(*chat);
    return GgufWriter().header(0, n).append(entries).bytes();
  }

  text::Tokenizer load(std::optional<std::string_view> assumed_pre = {}) const {
    const std::vector<uint8_t> file = bytes();
    return text::Tokenizer(gguf::parse(file), assumed_pre);
  }
};

/// One token per byte, its id being the byte.
inline TokenizerFile byte_level() {
  TokenizerFile out;
  for (int byte = 0; byte < 256; ++byte) out.add(text::to_alphabet(std::string(1, static_cast<char>(byte))));
  return out;
}

/// The same bytes as ids of byte_level().
inline std::vector<text::TokenId> byte_ids(std::string_view text) {
  std::vector<text::TokenId> out;
  for (const char c : text) out.push_back(static_cast<uint8_t>(c));
  return out;
}

}  // namespace tritcheck::testing
