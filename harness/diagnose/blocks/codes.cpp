// The linear map with all scales 1: what the codes are taken for, and which of them count.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "harness/cases/data.h"
#include "harness/diagnose/blocks/code_lens.h"
#include "reference/half.h"
#include "reference/prng.h"

namespace tritcheck::block_steps {
namespace {

// Whether seen = f(right) in every pass of every wrong column.
template <class F>
bool all_wrong(const CodeMap& m, F f) {
  return std::all_of(m.wrong.begin(), m.wrong.end(), [&](int64_t e) {
    const auto at = static_cast<size_t>(e);
    for (size_t p = 0; p < m.passes(); ++p) {
      if (m.seen[at][p] != f(m.right[at][p])) return false;
    }
    return true;
  });
}

bool shifted(const CodeMap& m, size_t e, double by) {
  for (size_t p = 0; p < m.passes(); ++p) {
    if (m.seen[e][p] != m.right[e][p] + by) return false;
  }
  return true;
}

Found offsets(const Lens& lens, const CodeMap& m) {
  const int offset = lens.traits().code_offset;
  if (offset == 0) return std::nullopt;
  if (all_wrong(m, [&](double v) { return v + offset; })) {
    return Diagnosis{
        "offset-never",
        fmt::format("the offset {} of the codes is not subtracted{}", offset,
                    m.everywhere() ? "" : " in a part of the row"),
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

// Comparisons are written so that NaN fails them.
Found factors(const CodeMap& m) {
  if (all_wrong(m, [](double v) { return -v; })) {
    return Diagnosis{"sign-flipped", "a part of the row counts with the wrong sign", {columns(m.wrong)}};
  }
  double factor = 0;
  for (const int64_t e : m.wrong) {
    for (size_t p = 0; p < m.passes() && factor == 0; ++p) {
      const double v = m.right[static_cast<size_t>(e)][p];
      if (v != 0) factor = m.seen[static_cast<size_t>(e)][p] / v;
    }
  }
  const auto close = [&](int64_t e) {
    const auto at = static_cast<size_t>(e);
    for (size_t p = 0; p < m.passes(); ++p) {
      const double want = factor * m.right[at][p];
      if (!(std::fabs(m.seen[at][p] - want) <= 1e-6 * std::fabs(want))) return false;
    }
    return true;
  };
  if (factor == 0 || !std::isfinite(factor) || !std::all_of(m.wrong.begin(), m.wrong.end(), close)) return std::nullopt;
  if (m.everywhere()) {
    return Diagnosis{"constant-factor",
                     fmt::format("every result is {:.7g} times the right one", factor),
                     {"the same for every activation and every code"}};
  }
  if (factor == 2) return Diagnosis{"unit-repeated", "a part of the row is added twice", {columns(m.wrong)}};
  return Diagnosis{
      "scale-wrong", fmt::format("a part of the row counts {:.7g} times what it should", factor), {columns(m.wrong)}};
}

// Codes that are not added, whether their offset is subtracted all the same or not. In formats whose offset is taken
// off by sums of activations, losing a lane of sums also leaves other columns without their offset.
Found dropped(const Lens& lens, const CodeMap& m) {
  std::vector<int64_t> none;
  std::vector<int64_t> only_offset;
  std::vector<int64_t> no_offset;
  const int offset = lens.traits().code_offset;
  for (const int64_t e : m.wrong) {
    const auto at = static_cast<size_t>(e);
    if (silent(lens, m.seen[at])) {
      (m.seen[at][0] == 0 ? none : only_offset).push_back(e);
    } else if (offset != 0 && shifted(m, at, offset)) {
      no_offset.push_back(e);
    } else {
      return std::nullopt;
    }
  }
  if (none.empty() && only_offset.empty()) return std::nullopt;
  if (none.size() == m.seen.size()) {
    return Diagnosis{"zero-result",
                     "the result is 0 whatever goes in",
                     {"if this is so for every type, the library's tables were never filled: see its notes above"}};
  }
  const int64_t first = m.wrong.front();
  int64_t asked_behind = 0;
  for (auto e = static_cast<size_t>(first); e < m.seen.size(); ++e) asked_behind += lens.asks(e);
  const bool tail = first > 0 && no_offset.empty() && asked_behind == static_cast<int64_t>(m.wrong.size());
  std::vector<std::string> evidence;
  const auto n = static_cast<int64_t>(lens.elements());
  if (tail && only_offset.empty() && first % n == 0) {
    const int64_t last = lens.k() / n - 1;
    evidence.push_back(
        first / n == last
            ? fmt::format("activations that have no effect: those of block {}, the last", last)
            : fmt::format("activations that have no effect: those of blocks {}..{}, the last", first / n, last));
  } else if (!none.empty()) {
    evidence.push_back("activations that have no effect: " + columns(none));
  }
  if (!only_offset.empty()) {
    evidence.push_back(
        fmt::format("activations that meet the offset {} and no code: {}", -offset, columns(only_offset)));
  }
  if (!no_offset.empty()) {
    evidence.push_back(fmt::format("activations that meet their code without its offset: {}", columns(no_offset)));
  }
  return Diagnosis{tail ? "tail-dropped" : "unit-dropped",
                   tail ? "the end of the row is not added" : "a part of the row is never added", evidence};
}

// Whether codes are taken for these numbers in a row with other scales of blocks and with minima, too.
bool taken_so(const Lens& lens, const CodeMap& m, const std::map<int, double>& taken) {
  LensRow row = lens.neutral();
  Prng r(0x7A8E);
  for (ggml::Fields& f : row.blocks) {
    f.d = half_power(static_cast<int>(r.between(-1, 2)));
    f.c = half_power(static_cast<int>(r.between(-2, 1)));
    for (uint8_t& minimum : f.minima) minimum = static_cast<uint8_t>(r.between(0, 15));
  }
  const size_t last = m.passes() - 1;
  for (size_t e = 0; e < m.codes.size(); ++e) {
    row.blocks[e / lens.elements()].codes[e % lens.elements()] = static_cast<uint8_t>(m.codes[e][last]);
  }
  const auto seen = lens.seen(row);
  if (!seen) return false;
  const std::vector<double> right = lens.right(row);
  const bool scaled = lens.traits().d.has_value();
  for (const int64_t e : m.wrong) {
    const auto at = static_cast<size_t>(e);
    const double d = scaled ? f16::to_float(row.blocks[at / lens.elements()].d) : 1;
    const double off = taken.at(m.codes[at][last]) - m.right[at][last];
    if ((*seen)[at] != right[at] + d * off) return false;
  }
  return true;
}

Found code_values(const Lens& lens, const CodeMap& m) {
  std::map<int, double> taken;
  std::map<int, double> right;
  for (const int64_t e : m.wrong) {
    const auto at = static_cast<size_t>(e);
    for (size_t p = 0; p < m.passes(); ++p) {
      const int code = m.codes[at][p];
      right[code] = m.right[at][p];
      const auto [known, fresh] = taken.try_emplace(code, m.seen[at][p]);
      if (!fresh && known->second != m.seen[at][p]) return std::nullopt;
    }
  }
  if (!taken_so(lens, m, taken)) return std::nullopt;
  std::vector<std::string> wrong;
  std::set<int> which;
  for (const auto& [code, value] : taken) {
    if (value == right[code]) continue;
    which.insert(code);
    if (wrong.size() < 8) wrong.push_back(fmt::format("{} counts as {:g} instead of {:g}", code, value, right[code]));
  }
  // columns that had one of these codes and took it for what it is
  std::vector<int64_t> spared;
  for (size_t e = 0; e < m.codes.size(); ++e) {
    const bool had = std::any_of(m.codes[e].begin(), m.codes[e].end(), [&](int c) { return which.contains(c); });
    if (had && m.seen[e] == m.right[e]) spared.push_back(static_cast<int64_t>(e));
  }
  return Diagnosis{
      "code-map",
      "codes are taken for other values",
      {fmt::format("codes: {}{}", fmt::join(wrong, ", "), which.size() > wrong.size() ? ", ..." : ""),
       spared.empty() ? "wherever they occur" : fmt::format("in {}; elsewhere they count right", columns(m.wrong))}};
}

}  // namespace

std::optional<CodeMap> measure(const Lens& lens, size_t passes) {
  const auto count = static_cast<uint64_t>(lens.traits().code_count);
  const auto k = static_cast<size_t>(lens.k());
  CodeMap m{std::vector<std::vector<int>>(k), std::vector<Column>(k), std::vector<Column>(k), {}};
  Prng r(0xC0DE5);
  for (size_t pass = 0; pass < passes; ++pass) {
    LensRow row = lens.neutral();
    for (size_t e = 0; e < k; ++e) {
      const uint8_t code = lens.traits().allowed(static_cast<uint8_t>(r.below(count)));
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

std::optional<CodeMap> measure(const Lens& lens) {
  const int count = lens.traits().code_count;
  return measure(lens, count == 2 ? 32 : count <= 4 ? 16 : count <= 16 ? 8 : 6);
}

std::string columns(const std::vector<int64_t>& which) {
  return fmt::format("columns {}", ranges(which));
}

bool silent(const Lens& lens, const Column& column) {
  const double offset = -lens.traits().code_offset;
  return (column[0] == 0 || column[0] == offset) &&
         std::all_of(column.begin(), column.end(), [&](double v) { return v == column[0]; });
}

namespace {

// One activation alone finds nothing, but all of them together do.
Found sparse(const Lens& lens) {
  LensRow row = lens.neutral();
  Prng r(0xDE45E);
  for (ggml::Fields& f : row.blocks) {
    for (uint8_t& code : f.codes)
      code = static_cast<uint8_t>(r.below(static_cast<uint64_t>(lens.traits().code_count) / 2));
  }
  if (lens.right_when_dense(row) != true) return std::nullopt;
  return Diagnosis{"sparse-skip", "a part of the row is skipped because some of its activations are zero", {}};
}

}  // namespace

Found codes(const Lens& lens, bool& plain) {
  const std::optional<CodeMap> m = measure(lens);
  if (!m) return std::nullopt;
  plain = m->wrong.empty();
  if (plain) return std::nullopt;
  Found d = dropped(lens, *m);
  if (!d) d = offsets(lens, *m);
  if (!d) d = factors(*m);
  if (!d) d = moved(lens, *m);
  if (!d) d = doubled(lens, *m);
  if (!d) d = code_values(lens, *m);
  if (!d) d = bits_moved(lens);
  if (d && (d->name == "unit-dropped" || d->name == "tail-dropped" || d->name == "zero-result")) {
    if (Found other = sparse(lens)) {
      other->evidence = std::move(d->evidence);
      other->evidence.push_back("so with a single activation; with all of them at 1 the result is right");
      return other;
    }
  }
  if (d) return d;
  // no cause reproduces it, but what was measured helps
  return Diagnosis{"unknown",
                   "single activations get wrong answers, and no cause that is known here reproduces them",
                   {columns(m->wrong)}};
}

}  // namespace tritcheck::block_steps
