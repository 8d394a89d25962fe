// The linear map with all scales 1: weights, or bits of them, that meet activations which are not theirs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/diagnose/blocks/code_lens.h"

namespace tritcheck::block_steps {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

// "0..31 meet 32..63" for columns that are all shifted alike.
std::string shifts(const Pairs& pairs, std::string_view verb = "meet") {
  constexpr int kMost = 6;
  std::string out;
  int shown = 0;
  for (size_t i = 0; i < pairs.size();) {
    size_t end = i;
    while (end + 1 < pairs.size() && pairs[end + 1].first == pairs[end].first + 1 &&
           pairs[end + 1].second == pairs[end].second + 1) {
      ++end;
    }
    if (shown++ == kMost) return out + ", ...";
    if (!out.empty()) out += ", ";
    out += end == i ? fmt::format("{} {}s {}", pairs[i].first, verb, pairs[i].second)
                    : fmt::format("{}..{} {} {}..{}", pairs[i].first, pairs[end].first, verb, pairs[i].second,
                                  pairs[end].second);
    i = end + 1;
  }
  return out;
}

// The byte of its block that holds most of element e.
size_t byte_of(ggml::Type type, size_t e) {
  const ggml::Traits& t = ggml::traits(type);
  return t.code == nullptr ? t.digit_byte(e) : t.code(e).low.byte;
}

bool same_byte(const Lens& lens, int64_t e, int64_t f) {
  const auto n = static_cast<int64_t>(lens.elements());
  return e / n == f / n &&
         byte_of(lens.type(), static_cast<size_t>(e % n)) == byte_of(lens.type(), static_cast<size_t>(f % n));
}

// Columns by what they hold; of several that are alike the first.
std::map<Column, int64_t> by_content(const CodeMap& m) {
  std::map<Column, int64_t> out;
  for (size_t e = 0; e < m.right.size(); ++e) out.try_emplace(m.right[e], static_cast<int64_t>(e));
  return out;
}

bool constant(const Column& c) {
  return std::all_of(c.begin(), c.end(), [&](double v) { return v == c[0]; });
}

// Whether columns from some power of two on are as if counted from 0 again: 0 if not, else that power. Below 1024
// it would be a matter of blocks.
int64_t wraps_at(const Lens& lens, const std::vector<int64_t>& wrong, const Pairs& pairs) {
  int64_t wrap = 1024;
  while (wrap < wrong.front()) wrap *= 2;
  if (wrong.empty() || wrap != wrong.front() || wrap >= lens.k()) return 0;
  int64_t asked = 0;
  for (auto e = static_cast<size_t>(wrap); e < static_cast<size_t>(lens.k()); ++e) asked += lens.asks(e);
  const bool all = asked == static_cast<int64_t>(wrong.size());
  return all && std::all_of(pairs.begin(), pairs.end(), [&](const auto& p) { return p.second == p.first % wrap; })
             ? wrap
             : 0;
}

Diagnosis wrapped_index(int64_t wrap, std::string evidence) {
  return {"index-wrap", fmt::format("behind {} elements the row begins again", wrap), {std::move(evidence)}};
}

// A bit of a code, in all passes, as one number.
using Series = uint64_t;

struct Bit {
  int64_t column = 0;
  int bit = 0;
  auto operator<=>(const Bit&) const = default;
};

// The byte of its block that holds this bit of element e's code, from the place of the code.
size_t byte_of(ggml::Type type, size_t e, int bit) {
  const ggml::Place p = ggml::traits(type).code(e);
  return bit >= p.low.width && p.high ? p.high->byte : p.low.byte;
}

}  // namespace

Found moved(const Lens& lens, const CodeMap& m) {
  const std::map<Column, int64_t> column_of = by_content(m);
  Pairs pairs;
  std::vector<int64_t> nobodys;
  for (const int64_t e : m.wrong) {
    const Column& seen = m.seen[static_cast<size_t>(e)];
    if (const auto found = column_of.find(seen); found != column_of.end()) {
      pairs.emplace_back(e, found->second);
    } else if (constant(seen)) {
      nobodys.push_back(e);
    } else {
      return std::nullopt;
    }
  }
  if (nobodys.size() * 4 > m.wrong.size()) return std::nullopt;
  const bool bytes = nobodys.empty() && std::all_of(pairs.begin(), pairs.end(),
                                                    [&](const auto& p) { return same_byte(lens, p.first, p.second); });
  std::set<int64_t> met;
  for (const auto& p : pairs) met.insert(p.second);
  std::vector<std::string> evidence = {"activations and the weights they meet: " + shifts(pairs)};
  if (!nobodys.empty()) {
    evidence.push_back(fmt::format("activations that meet no weight but a number that stays {:g}: {}",
                                   m.seen[static_cast<size_t>(nobodys[0])][0], columns(nobodys)));
  }
  if (const int64_t wrap = wraps_at(lens, m.wrong, pairs); wrap != 0 && nobodys.empty()) {
    return wrapped_index(wrap, evidence[0]);
  }
  if (met.size() < pairs.size()) {
    return Diagnosis{"unit-repeated", "some weights are read in the place of others", evidence};
  }
  return Diagnosis{bytes ? "layout-bit-order" : "layout-permuted",
                   bytes ? "the fields of a byte are taken in another order" : "weights meet the wrong activations",
                   evidence};
}

Found doubled(const Lens& lens, const CodeMap& m) {
  const std::map<Column, int64_t> column_of = by_content(m);
  const int offset = lens.traits().code_offset;
  std::vector<int64_t> none;
  Pairs both;
  for (const int64_t e : m.wrong) {
    const auto at = static_cast<size_t>(e);
    if (silent(lens, m.seen[at])) {
      none.push_back(e);
      continue;
    }
    // the second weight with its offset, or its code alone where sums of activations take the offset off
    auto found = column_of.end();
    for (const int with : {0, offset}) {
      Column rest = m.seen[at];
      for (size_t p = 0; p < rest.size(); ++p) rest[p] -= m.right[at][p] + with;
      found = column_of.find(rest);
      if (found != column_of.end()) break;
    }
    if (found == column_of.end()) return std::nullopt;
    both.emplace_back(e, found->second);
  }
  if (both.empty()) return std::nullopt;
  std::vector<std::string> evidence = {"activations that meet a second weight: " + shifts(both)};
  if (!none.empty()) evidence.push_back(fmt::format("activations that no weight meets: {}", columns(none)));
  // both operands from the start again: what lies behind has no effect, and the start counts twice
  const bool own = std::all_of(both.begin(), both.end(), [](const auto& p) { return p.first == p.second; });
  if (own && !none.empty()) {
    if (const int64_t wrap = wraps_at(lens, none, {}); wrap != 0) {
      Diagnosis d = wrapped_index(wrap, "activations that count twice: " + shifts(both));
      d.evidence.push_back(evidence[1]);
      return d;
    }
  }
  return Diagnosis{"unit-repeated", "a part of the row is used twice, in the place of another", evidence};
}

Found bits_moved(const Lens& lens) {
  constexpr size_t kPasses = 40;
  const ggml::Type type = lens.type();
  if (ggml::traits(type).code == nullptr) return std::nullopt;  // its digits share bits
  if (lens.k() > 1024) return std::nullopt;                     // each pass is one call for each column
  const std::optional<CodeMap> m = measure(lens, kPasses);
  if (!m) return std::nullopt;
  std::map<double, int> code_of;
  for (size_t e = 0; e < m->right.size(); ++e) {
    for (size_t p = 0; p < kPasses; ++p) {
      const auto [at, fresh] = code_of.try_emplace(m->right[e][p], m->codes[e][p]);
      if (!fresh && at->second != m->codes[e][p]) return std::nullopt;  // two codes of one value
    }
  }
  int width = 1;
  while (1 << width < ggml::traits(type).code_count) ++width;
  const auto series = [&](auto code) {
    std::vector<Series> out(static_cast<size_t>(width));
    for (size_t p = 0; p < kPasses; ++p) {
      for (size_t b = 0; b < out.size(); ++b) out[b] |= Series{static_cast<uint64_t>(code(p) >> b & 1)} << p;
    }
    return out;
  };
  std::map<Series, Bit> place_of;
  for (size_t e = 0; e < m->codes.size(); ++e) {
    const std::vector<Series> own = series([&](size_t p) { return m->codes[e][p]; });
    for (int b = 0; b < width; ++b) place_of.try_emplace(own[static_cast<size_t>(b)], Bit{static_cast<int64_t>(e), b});
  }
  std::map<std::pair<int, int>, Pairs> taken;  // (this bit, that bit): columns
  const auto n = static_cast<int64_t>(lens.elements());
  bool bytes = true;
  for (const int64_t e : m->wrong) {
    const auto at = static_cast<size_t>(e);
    if (!std::all_of(m->seen[at].begin(), m->seen[at].end(), [&](double v) { return code_of.contains(v); }))
      return std::nullopt;
    const std::vector<Series> seen = series([&](size_t p) { return code_of.at(m->seen[at][p]); });
    for (int b = 0; b < width; ++b) {
      const auto found = place_of.find(seen[static_cast<size_t>(b)]);
      if (found == place_of.end()) return std::nullopt;
      const Bit from = found->second;
      if (from == Bit{e, b}) continue;
      taken[{b, from.bit}].emplace_back(e, from.column);
      bytes =
          bytes && e / n == from.column / n &&
          byte_of(type, static_cast<size_t>(e % n), b) == byte_of(type, static_cast<size_t>(from.column % n), from.bit);
    }
  }
  std::vector<std::string> evidence;
  for (const auto& [which, pairs] : taken) {
    evidence.push_back(fmt::format("bit {} of the codes of some columns is bit {} of others: {}", which.first,
                                   which.second, shifts(pairs, "take")));
  }
  return Diagnosis{bytes ? "layout-bit-order" : "layout-permuted",
                   bytes ? "bits of a byte are given to the wrong codes" : "bits of the codes are taken from elsewhere",
                   evidence};
}

}  // namespace tritcheck::block_steps
