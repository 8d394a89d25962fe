// Prompts for models that were trained on conversations. For BitNet b1.58 2B4T there are three forms in the wild that
// do not agree; a wrong one gives bad text from right logits. So none is guessed: a prompt is raw unless one is asked
// for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/tokenizer.h"
#include "reference/gguf.h"

namespace tritcheck::text {

/// What render_chat() makes, [bos] and the like being single tokens:
enum class ChatTemplate {
  raw,        ///< {user}, after [bos] if the file says so
  hf,         ///< [bos]System: {system}[eot]User: {user}[eot]Assistant:␣  Microsoft's model card and Hugging Face
  ik,         ///< [bos]System: {system}User: {user}[eot]Assistant:␣       ik_llama.cpp
  bitnet_cpp  ///< Human: {user}\n\nBITNETAssistant:␣[eos]                 microsoft/BitNet's converters; bos as in raw
};

/// "raw", "hf", "ik", "bitnet.cpp".
std::string_view name(ChatTemplate chat);
/// The template of that name, or nothing.
std::optional<ChatTemplate> chat_template(std::string_view name);

/// The template that the file's tokenizer.chat_template is, told by the words in it: hf or bitnet_cpp. Nothing if the
/// file has none or another one. (ik is made by a program, and in no file.)
std::optional<ChatTemplate> detect_chat_template(const gguf::File& file);

/// Token ids of the prompt for the next answer. Texts of special tokens in `system` and `user` remain text. An empty
/// `system` is left out with its label. Throws Error if the template has no place for a system text (raw, bitnet_cpp),
/// or the model lacks a token the template needs.
std::vector<TokenId> render_chat(const Tokenizer& tokenizer, ChatTemplate chat, std::string_view system,
                                 std::string_view user);

}  // namespace tritcheck::text
