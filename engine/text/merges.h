// Byte-pair merging: the heart of BPE, on token ids.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tritcheck::text {

using TokenId = int32_t;  ///< 0 .. size of the vocabulary - 1

/// Two neighbours and the token they become. Its rank is its place in the list of merges; a lower rank goes first.
struct Merge {
  TokenId left = 0;
  TokenId right = 0;
  TokenId result = 0;
};

class Merges {
 public:
  /// In order of rank; of several merges of one pair the first counts.
  explicit Merges(std::span<const Merge> by_rank);

  /// Merges neighbours as long as any can be: always the pair of lowest rank in the whole sequence, the leftmost of
  /// equals. O(n log n) in the symbols, whatever they are; n is below 2^31.
  std::vector<TokenId> apply(std::span<const TokenId> symbols) const;

 private:
  struct Entry {
    uint64_t pair = 0;
    uint32_t rank = 0;
    TokenId result = 0;
  };
  const Entry* find(TokenId left, TokenId right) const;

  std::vector<Entry> entries_;  // sorted by pair: no hash that a file could be made to collide in
};

}  // namespace tritcheck::text
