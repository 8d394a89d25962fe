// The linear map with all scales 1: which code meets which activation, and what it is taken for.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/diagnose/steps.h"
#include "harness/foreign/steps.h"
#include "reference/prng.h"

namespace tritcheck::foreign {
namespace {

using Column = std::vector<double>;  // one column's values over all passes

struct Map {
  std::vector<std::vector<int>> codes;  // [column][pass]
  std::vector<Column> right;
  std::vector<Column> seen;
  std::vector<int64_t> wrong;
};

std::optional<Map> measure(const Lens& lens) {
  // enough random codes per column that two columns are never alike by chance
  const int count = ggml::code_count(lens.type());
  const size_t passes = count <= 4 ? 16 : 6;
  const auto k = static_cast<size_t>(lens.k());
  Map m{std::vector<std::vector<int>>(k), std::vector<Column>(k), std::vector<Column>(k), {}};
  Prng r(0xC0DE5);
  for (size_t pass = 0; pass < passes; ++pass) {
    LensRow row = lens.neutral();
    for (size_t e = 0; e < k; ++e) {
      auto code = static_cast<uint8_t>(r.below(static_cast<uint64_t>(count)));
      if (lens.type() == ggml::Type::q8_0 && code == 128) code = 127;
      row.blocks[e / lens.elements()].codes[e % lens.elements()] = code;
      m.codes[e].push_back(code);
    }
    const std::vector<double> right = lens.right(row);
    const auto seen = lens.seen(row);
    if (!seen) return std::nullopt;
    for (size_t e = 0; e < k; ++e) {
      m.right[e].push_back(right[e]);
      m.seen[e].push_back((*seen)[e]);
    }
  }
  for (size_t e = 0; e < k; ++e) {
    if (m.seen[e] != m.right[e]) m.wrong.push_back(static_cast<int64_t>(e));
  }
  return m;
}

// Whether seen = f(right) in every pass of every wrong column.
template <class F>
bool all_wrong(const Map& m, F f) {
  return std::all_of(m.wrong.begin(), m.wrong.end(), [&](int64_t e) {
    const auto at = static_cast<size_t>(e);
    for (size_t p = 0; p < m.seen[at].size(); ++p) {
      if (m.seen[at][p] != f(m.right[at][p])) return false;
    }
    return true;
  });
}

std::string columns(const std::vector<int64_t>& which) {
  return fmt::format("columns {}", ranges(which));
}

bool everywhere(const Map& m) {
  return m.wrong.size() == m.seen.size();
}

Found offsets(const Lens& lens, const Map& m) {
  const int offset = ggml::code_offset(lens.type());
  if (offset == 0) return std::nullopt;
  if (all_wrong(m, [&](double v) { return v + offset; })) {
    return Diagnosis{
        "offset-never",
        fmt::format("the offset {} of the codes is not subtracted{}", offset,
                    everywhere(m) ? "" : " in a part of the row"),
        {fmt::format("every answer is too large by {} times the activation; {}", offset, columns(m.wrong))}};
  }
  if (all_wrong(m, [&](double v) { return v - offset; })) {
    return Diagnosis{
        "offset-twice",
        fmt::format("the offset {} of the codes is subtracted twice", offset),
        {fmt::format("every answer is too small by {} times the activation; {}", offset, columns(m.wrong))}};
  }
  return std::nullopt;
}

Found factors(const Map& m) {
  if (all_wrong(m, [](double v) { return -v; })) {
    return Diagnosis{"sign-flipped", "a part of the row counts with the wrong sign", {columns(m.wrong)}};
  }
  double factor = 0;
  for (const int64_t e : m.wrong) {
    for (size_t p = 0; p < m.seen[0].size() && factor == 0; ++p) {
      const double v = m.right[static_cast<size_t>(e)][p];
      if (v != 0) factor = m.seen[static_cast<size_t>(e)][p] / v;
    }
  }
  const auto close = [&](int64_t e) {
    const auto at = static_cast<size_t>(e);
    for (size_t p = 0; p < m.seen[at].size(); ++p) {
      const double want = factor * m.right[at][p];
      if (std::abs(m.seen[at][p] - want) > 1e-6 * std::abs(want)) return false;
    }
    return true;
  };
  if (factor == 0 || !std::all_of(m.wrong.begin(), m.wrong.end(), close)) return std::nullopt;
  if (everywhere(m)) {
    return Diagnosis{"constant-factor",
                     fmt::format("every result is {:.7g} times the right one", factor),
                     {"the same for every activation and every code"}};
  }
  if (factor == 2) {
    return Diagnosis{"unit-repeated", "a part of the row is added twice", {columns(m.wrong)}};
  }
  return std::nullopt;
}

Found dropped(const Lens& lens, const Map& m) {
  if (!all_wrong(m, [](double) { return 0.0; })) return std::nullopt;
  if (everywhere(m)) {
    return Diagnosis{"zero-result",
                     "the result is 0 whatever goes in",
                     {"if this is so for every type, the library's tables were never filled: see its notes above"}};
  }
  const int64_t first = m.wrong.front();
  const bool tail = first > 0 && lens.k() - first == static_cast<int64_t>(m.wrong.size());
  const auto n = static_cast<int64_t>(lens.elements());
  const std::string blocks = first % n == 0 && m.wrong.size() % lens.elements() == 0 && tail
                                 ? fmt::format("blocks {}..{} of {}", first / n, lens.k() / n - 1, lens.k() / n)
                                 : columns(m.wrong);
  return Diagnosis{tail ? "tail-dropped" : "unit-dropped",
                   tail ? "the end of the row is not added" : "a part of the row is never added",
                   {fmt::format("activations that have no effect: {}", blocks)}};
}

// "0..31 -> 32..63" for columns that are all shifted alike.
std::string shifts(const std::vector<std::pair<int64_t, int64_t>>& pairs) {
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
    out += end == i ? fmt::format("{} meets {}", pairs[i].first, pairs[i].second)
                    : fmt::format("{}..{} meet {}..{}", pairs[i].first, pairs[end].first, pairs[i].second,
                                  pairs[end].second);
    i = end + 1;
  }
  return out;
}

Found moved(const Lens& lens, const Map& m) {
  std::map<Column, int64_t> column_of;
  for (size_t e = 0; e < m.right.size(); ++e) column_of.try_emplace(m.right[e], static_cast<int64_t>(e));
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const int64_t e : m.wrong) {
    const auto found = column_of.find(m.seen[static_cast<size_t>(e)]);
    if (found == column_of.end()) return std::nullopt;
    pairs.emplace_back(e, found->second);
  }
  bool same_byte = lens.type() != ggml::Type::tq1_0;
  std::set<int64_t> met;
  for (const auto& [e, f] : pairs) {
    met.insert(f);
    const auto n = static_cast<int64_t>(lens.elements());
    same_byte = same_byte && e / n == f / n &&
                ggml::code_place(lens.type(), static_cast<size_t>(e % n)).low.byte ==
                    ggml::code_place(lens.type(), static_cast<size_t>(f % n)).low.byte;
  }
  if (met.size() < pairs.size()) {
    return Diagnosis{"unit-repeated",
                     "some weights are read in the place of others",
                     {"activations and the weights they meet: " + shifts(pairs)}};
  }
  return Diagnosis{same_byte ? "layout-bit-order" : "layout-permuted",
                   same_byte ? "the fields of a byte are taken in another order" : "weights meet the wrong activations",
                   {"activations and the weights they meet: " + shifts(pairs)}};
}

// Some activations have no effect and others meet two weights: an operand was used in the place of another.
Found doubled(const Map& m) {
  std::map<Column, int64_t> column_of;
  for (size_t e = 0; e < m.right.size(); ++e) column_of.try_emplace(m.right[e], static_cast<int64_t>(e));
  std::vector<int64_t> silent;
  std::vector<std::pair<int64_t, int64_t>> both;
  for (const int64_t e : m.wrong) {
    const auto at = static_cast<size_t>(e);
    Column rest = m.seen[at];
    if (std::all_of(rest.begin(), rest.end(), [](double v) { return v == 0; })) {
      silent.push_back(e);
      continue;
    }
    for (size_t p = 0; p < rest.size(); ++p) rest[p] -= m.right[at][p];
    const auto found = column_of.find(rest);
    if (found == column_of.end()) return std::nullopt;
    both.emplace_back(e, found->second);
  }
  if (both.empty()) return std::nullopt;
  std::vector<std::string> evidence = {"activations that meet a second weight: " + shifts(both)};
  if (!silent.empty()) evidence.push_back(fmt::format("activations that have no effect: {}", columns(silent)));
  return Diagnosis{"unit-repeated", "a part of the row is used twice, in the place of another", evidence};
}

Found code_map(const Lens& lens, const Map& m) {
  std::map<int, double> taken;
  std::map<int, double> right;
  for (const int64_t e : m.wrong) {
    const auto at = static_cast<size_t>(e);
    for (size_t p = 0; p < m.seen[at].size(); ++p) {
      const int code = m.codes[at][p];
      right[code] = m.right[at][p];
      const auto [known, fresh] = taken.try_emplace(code, m.seen[at][p]);
      if (!fresh && known->second != m.seen[at][p]) return std::nullopt;
    }
  }
  std::vector<std::string> wrong;
  for (const auto& [code, value] : taken) {
    if (value != right[code] && wrong.size() < 8) {
      wrong.push_back(fmt::format("{} counts as {:g} instead of {:g}", code, value, right[code]));
    }
  }
  return Diagnosis{
      "code-map",
      "codes are taken for other values",
      {fmt::format("codes: {}", fmt::join(wrong, ", ")),
       everywhere(m) || m.wrong.size() > static_cast<size_t>(lens.k()) * 3 / 4 ? "in all of the row"
                                                                               : "in " + columns(m.wrong)}};
}

}  // namespace

Found codes(const Lens& lens, bool& plain) {
  const std::optional<Map> m = measure(lens);
  if (!m) return std::nullopt;
  plain = m->wrong.empty();
  if (plain) return std::nullopt;
  Found d = dropped(lens, *m);
  if (!d) d = offsets(lens, *m);
  if (!d) d = factors(*m);
  if (!d) d = moved(lens, *m);
  if (!d) d = doubled(*m);
  if (!d) d = code_map(lens, *m);
  if (d) return d;
  // no cause reproduces it, but what was measured helps
  return Diagnosis{"unknown",
                   "single activations get wrong answers, and no cause that is known here reproduces them",
                   {columns(m->wrong)}};
}

}  // namespace tritcheck::foreign
