#include "engine/text/detokenizer.h"

namespace tritcheck::text {

std::string Detokenizer::push(TokenId id) {
  // a hidden token between two halves of a character does not part them: it is no text
  if (!show_hidden_ && tokenizer_->hidden(id)) return {};
  return stream_.push(tokenizer_->bytes(id));
}

}  // namespace tritcheck::text
