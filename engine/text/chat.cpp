#include "engine/text/chat.h"

#include <array>
#include <utility>

namespace tritcheck::text {
namespace {

constexpr std::array<std::pair<ChatTemplate, std::string_view>, 4> kNames = {
    {{ChatTemplate::raw, "raw"},
     {ChatTemplate::hf, "hf"},
     {ChatTemplate::ik, "ik"},
     {ChatTemplate::bitnet_cpp, "bitnet.cpp"}}};

// Puts a prompt together of texts and special tokens.
class Prompt {
 public:
  Prompt(const Tokenizer& tokenizer, ChatTemplate chat) : tokenizer_(tokenizer), chat_(chat) {}

  Prompt& text(const std::string& text) {
    const std::vector<TokenId> ids = tokenizer_.encode(text, {.add_bos = false});
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    return *this;
  }
  Prompt& token(std::optional<TokenId> id, std::string_view key) {
    if (!id) {
      throw Error("the chat template " + std::string(name(chat_)) +
                  " needs a token that this model does not have (no " + std::string(key) + ")");
    }
    ids_.push_back(*id);
    return *this;
  }
  Prompt& bos() { return token(tokenizer_.bos(), "tokenizer.ggml.bos_token_id"); }
  Prompt& eos() { return token(tokenizer_.eos(), "tokenizer.ggml.eos_token_id"); }
  Prompt& eot() { return token(tokenizer_.eot(), "tokenizer.ggml.eot_token_id"); }
  Prompt& bos_if_added() { return tokenizer_.adds_bos() ? bos() : *this; }
  std::vector<TokenId> ids() && { return std::move(ids_); }

 private:
  const Tokenizer& tokenizer_;
  ChatTemplate chat_;
  std::vector<TokenId> ids_;
};

}  // namespace

std::string_view name(ChatTemplate chat) {
  return kNames[static_cast<size_t>(chat)].second;
}

std::optional<ChatTemplate> chat_template(std::string_view name) {
  for (const auto& [chat, known] : kNames) {
    if (known == name) return chat;
  }
  return std::nullopt;
}

std::optional<ChatTemplate> detect_chat_template(const gguf::File& file) {
  const auto source = file.find<std::string_view>("tokenizer.chat_template");
  if (!source) return std::nullopt;
  const auto has = [&](std::string_view words) { return source->find(words) != std::string_view::npos; };
  if (has("BITNETAssistant: ")) return ChatTemplate::bitnet_cpp;
  // Llama 3's own template ends turns with the same token, but marks roles with <|start_header_id|>
  if (has("Assistant: ") && has("<|eot_id|>") && !has("<|start_header_id|>")) return ChatTemplate::hf;
  return std::nullopt;
}

std::vector<TokenId> render_chat(const Tokenizer& tokenizer, ChatTemplate chat, std::string_view system,
                                 std::string_view user) {
  if (!system.empty() && (chat == ChatTemplate::raw || chat == ChatTemplate::bitnet_cpp)) {
    throw Error("the chat template " + std::string(name(chat)) + " has no place for a system text");
  }
  const std::string s(system);
  const std::string u(user);
  Prompt prompt(tokenizer, chat);
  switch (chat) {
    case ChatTemplate::raw:
      prompt.bos_if_added().text(u);
      break;
    case ChatTemplate::hf:
      prompt.bos();
      if (!s.empty()) prompt.text("System: " + s).eot();
      prompt.text("User: " + u).eot().text("Assistant: ");
      break;
    case ChatTemplate::ik:
      prompt.bos().text((s.empty() ? "" : "System: " + s) + "User: " + u).eot().text("Assistant: ");
      break;
    case ChatTemplate::bitnet_cpp:
      prompt.bos_if_added().text("Human: " + u + "\n\nBITNETAssistant: ").eos();
      break;
  }
  return std::move(prompt).ids();
}

}  // namespace tritcheck::text
