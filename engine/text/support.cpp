// Which kinds of tokenisers are ours.
#include "engine/text/vocabulary.h"

namespace tritcheck::text {
namespace {

constexpr std::string_view kSupported = "; supported: gpt2 with pre-tokeniser llama-bpe; give token ids with --ids";

// tokenizer.ggml.model of other programs (llama.cpp, llama-vocab.cpp): what it stands for.
std::string kind(std::string_view model) {
  if (model == "llama") return "SentencePiece";
  if (model == "t5") return "SentencePiece unigram";
  if (model == "bert") return "WordPiece";
  if (model == "rwkv") return "RWKV";
  return "foreign";
}

std::string quoted(std::string_view name) {
  return "\"" + gguf::printable(name) + "\"";
}

}  // namespace

std::optional<std::string> why_no_text(const gguf::File& file, std::optional<std::string_view> assumed_pre) {
  const auto model = file.find<std::string_view>("tokenizer.ggml.model");
  if (!model) return "this file has no tokeniser (no tokenizer.ggml.model)" + std::string(kSupported);
  if (*model != "gpt2") {
    return "this file has a " + kind(*model) + " tokeniser (tokenizer.ggml.model = " + quoted(*model) + ")" +
           std::string(kSupported);
  }
  auto pre = file.find<std::string_view>("tokenizer.ggml.pre");
  if (!pre) pre = assumed_pre;
  if (!pre) return "this file does not name its pre-tokeniser (no tokenizer.ggml.pre)" + std::string(kSupported);
  if (*pre != "llama-bpe") {
    return "this file has another pre-tokeniser (tokenizer.ggml.pre = " + quoted(*pre) + ")" + std::string(kSupported);
  }
  return std::nullopt;
}

}  // namespace tritcheck::text
