// Finds the texts of special tokens ("<|eot_id|>") in text.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/vocabulary.h"

namespace tritcheck::text {

class SpecialTokens {
 public:
  static constexpr size_t kMaxBytes = 1024;  ///< longer ones are not looked for: bounds the work at each byte of text

  /// Takes the control and the user-defined tokens.
  explicit SpecialTokens(std::span<const Token> tokens);

  struct Found {
    size_t at = 0;  ///< byte at which it begins
    size_t bytes = 0;
    TokenId id = 0;
  };
  /// The first special token at or behind byte `from`; of several that begin there the longest.
  std::optional<Found> next(std::string_view text, size_t from) const;

 private:
  struct Entry {
    std::string text;
    TokenId id = 0;
  };
  const Entry* longest(std::string_view rest) const;

  std::vector<Entry> entries_;  // sorted by text
};

}  // namespace tritcheck::text
