#include "engine/text/merges.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

namespace tritcheck::text {
namespace {

constexpr uint32_t kNone = 0xFFFFFFFF;

uint64_t pair_of(TokenId left, TokenId right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

// A symbol in a linked list. A merged pair lives on in its left half; the right half is marked gone.
struct Symbol {
  TokenId id = 0;
  uint32_t before = kNone;
  uint32_t after = kNone;
  bool gone = false;
};

std::vector<Symbol> linked(std::span<const TokenId> ids) {
  std::vector<Symbol> out(ids.size());
  for (uint32_t i = 0; i < out.size(); ++i) {
    out[i].id = ids[i];
    out[i].before = i == 0 ? kNone : i - 1;
    out[i].after = i + 1 == out.size() ? kNone : i + 1;
  }
  return out;
}

// A merge that was possible when it was queued: still is, if both symbols are what they were.
struct Candidate {
  uint32_t rank = 0;
  uint32_t left = 0;  // position
  uint64_t pair = 0;
  TokenId result = 0;

  bool operator>(const Candidate& other) const { return std::tie(rank, left) > std::tie(other.rank, other.left); }
};

}  // namespace

Merges::Merges(std::span<const Merge> by_rank) {
  entries_.reserve(by_rank.size());
  for (const Merge& m : by_rank) {
    entries_.push_back({pair_of(m.left, m.right), static_cast<uint32_t>(entries_.size()), m.result});
  }
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return std::tie(a.pair, a.rank) < std::tie(b.pair, b.rank); });
}

const Merges::Entry* Merges::find(TokenId left, TokenId right) const {
  const uint64_t pair = pair_of(left, right);
  const auto it = std::lower_bound(entries_.begin(), entries_.end(), pair,
                                   [](const Entry& entry, uint64_t wanted) { return entry.pair < wanted; });
  return it != entries_.end() && it->pair == pair ? &*it : nullptr;
}

std::vector<TokenId> Merges::apply(std::span<const TokenId> ids) const {
  std::vector<Symbol> symbols = linked(ids);
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto consider = [&](uint32_t left) {
    if (left == kNone || symbols[left].after == kNone) return;
    const TokenId a = symbols[left].id;
    const TokenId b = symbols[symbols[left].after].id;
    if (const Entry* found = find(a, b)) queue.push({found->rank, left, found->pair, found->result});
  };
  for (uint32_t i = 0; i < symbols.size(); ++i) consider(i);

  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Symbol& left = symbols[best.left];
    if (left.gone || left.after == kNone || pair_of(left.id, symbols[left.after].id) != best.pair) continue;
    Symbol& right = symbols[left.after];
    right.gone = true;
    left.id = best.result;
    left.after = right.after;
    if (left.after != kNone) symbols[left.after].before = best.left;
    consider(left.before);
    consider(best.left);
  }

  std::vector<TokenId> out;
  for (uint32_t i = symbols.empty() ? kNone : 0; i != kNone; i = symbols[i].after) out.push_back(symbols[i].id);
  return out;
}

}  // namespace tritcheck::text
