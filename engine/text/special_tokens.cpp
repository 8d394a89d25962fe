#include "engine/text/special_tokens.h"

#include <algorithm>

namespace tritcheck::text {

SpecialTokens::SpecialTokens(std::span<const Token> tokens) {
  for (size_t id = 0; id < tokens.size(); ++id) {
    const Token& token = tokens[id];
    const bool special = token.type == TokenType::control || token.type == TokenType::user_defined;
    if (special && token.bytes.size() <= kMaxBytes) entries_.push_back({token.bytes, static_cast<TokenId>(id)});
  }
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.text < b.text; });
}

// Narrows the sorted entries down to those that agree with `rest` in one more byte, as long as there are any. Of those
// that agree in n bytes, the one that is n bytes long is the first.
const SpecialTokens::Entry* SpecialTokens::longest(std::string_view rest) const {
  const Entry* best = nullptr;
  auto first = entries_.begin();
  auto last = entries_.end();
  for (size_t n = 0; n < rest.size(); ++n) {
    const auto byte = static_cast<uint8_t>(rest[n]);
    const auto at = [n](const Entry& entry) { return static_cast<uint8_t>(entry.text[n]); };
    first = std::partition_point(first, last, [&](const Entry& entry) { return at(entry) < byte; });
    last = std::partition_point(first, last, [&](const Entry& entry) { return at(entry) == byte; });
    if (first == last) break;
    if (first->text.size() == n + 1) best = &*first++;
  }
  return best;
}

std::optional<SpecialTokens::Found> SpecialTokens::next(std::string_view text, size_t from) const {
  if (entries_.empty()) return std::nullopt;
  for (size_t at = from; at < text.size(); ++at) {
    if (const Entry* found = longest(text.substr(at))) return Found{at, found->text.size(), found->id};
  }
  return std::nullopt;
}

}  // namespace tritcheck::text
