// The linear map with all codes alike: which scale each column gets.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "harness/cases/data.h"
#include "harness/diagnose/blocks/steps.h"
#include "reference/half.h"

namespace tritcheck::block_steps {
namespace {

// A fp16 number with a mantissa of its own for each block, one in four negative.
uint16_t marked(size_t i) {
  return static_cast<uint16_t>((half_power(-static_cast<int>(i % 3)) + 7 * (i % 140) + 3) | (i % 4 == 1 ? 0x8000 : 0));
}

// The code of the smallest weight above 0.
uint8_t plain_code(ggml::Type type) {
  const ggml::Traits& t = ggml::traits(type);
  const auto smaller = [&](int a, int b) {
    const int x = t.number_of(static_cast<uint8_t>(a));
    const int y = t.number_of(static_cast<uint8_t>(b));
    return y <= 0 || (x > 0 && x < y);
  };
  int best = 0;
  for (int code = 1; code < t.code_count; ++code) best = smaller(code, best) ? code : best;
  return static_cast<uint8_t>(best);
}

// The stored scale of sub-block i: all bits in use, different from those of many neighbours, and not 0 as a number.
uint8_t marked_scale(const ggml::ScaleCode& code, size_t i) {
  std::vector<uint8_t> marks;
  for (int s = code.marks.from; s <= code.marks.to; ++s) {
    if (code.number(static_cast<uint8_t>(s)) != 0) marks.push_back(static_cast<uint8_t>(s));
  }
  return marks[(23 * i + 5) % marks.size()];
}

// All scales 1, and a code whose weight is small and not 0.
LensRow plain_row(const Lens& lens) {
  LensRow row = lens.neutral();
  for (ggml::Fields& f : row.blocks) std::fill(f.codes.begin(), f.codes.end(), plain_code(lens.type()));
  return row;
}

struct Question {
  LensRow row;
  std::string what;           // "the scale of block"
  std::vector<size_t> owner;  // of column e: the number of the scale that is its own
};

// The owner of the scale with which a column answers like this: of its own block, else the nearest.
std::optional<size_t> owner_of(double answer, const std::vector<double>& of_owner, size_t own) {
  std::optional<size_t> best;
  const auto distance = [&](size_t o) { return o > own ? o - own : own - o; };
  for (size_t o = 0; o < of_owner.size(); ++o) {
    if (of_owner[o] == answer && (!best || distance(o) < distance(*best))) best = o;
  }
  return best;
}

// Whose scale a column gets.
struct Use {
  bool own = true;
  std::optional<size_t> other;
};

std::vector<double> by_owner(const Question& q, const std::vector<double>& right) {
  std::vector<double> out;
  for (size_t e = 0; e < right.size(); ++e) {
    if (q.owner[e] >= out.size()) out.resize(q.owner[e] + 1);
    out[q.owner[e]] = right[e];
  }
  return out;
}

// The scale of another, or that of another beside the own, or none: found by looking the answer up. Nothing if some
// answer is none of these, or if no column has another's.
std::optional<std::vector<Use>> uses(const Question& q, const std::vector<double>& seen,
                                     const std::vector<double>& right) {
  const std::vector<double> of_owner = by_owner(q, right);
  std::vector<Use> out(right.size());
  bool paired = false;
  for (size_t e = 0; e < right.size(); ++e) {
    if (seen[e] == right[e]) continue;
    if (const auto other = owner_of(seen[e], of_owner, q.owner[e])) {
      out[e] = {false, other};
    } else if (const auto second = owner_of(seen[e] - right[e], of_owner, q.owner[e])) {
      out[e] = {true, second};
    } else if (seen[e] == 0) {
      out[e] = {false, std::nullopt};
    } else {
      return std::nullopt;
    }
    paired = paired || out[e].other.has_value();
  }
  return paired ? std::optional(out) : std::nullopt;
}

// `again` is the same question with other marks: who gets whose must be as before, else it was chance.
Found pairing(const Lens& lens, const Question& q, const std::vector<double>& seen, const Question& again) {
  const auto use = uses(q, seen, lens.right(q.row));
  if (!use) return std::nullopt;
  const auto second = lens.seen(again.row);
  if (!second) return std::nullopt;
  const std::vector<double> right = lens.right(again.row);
  const std::vector<double> of_owner = by_owner(again, right);
  std::vector<std::string> lines;
  std::set<std::string> told;
  std::vector<int64_t> wrong;
  for (size_t e = 0; e < right.size(); ++e) {
    const Use& u = (*use)[e];
    if ((*second)[e] != (u.own ? right[e] : 0) + (u.other ? of_owner[*u.other] : 0)) return std::nullopt;
    if (u.own && !u.other) continue;
    wrong.push_back(static_cast<int64_t>(e));
    const std::string line = fmt::format("{} {} gets {}", q.what, q.owner[e],
                                         !u.other ? "none"
                                         : u.own  ? fmt::format("its own and that of {}", *u.other)
                                                  : fmt::format("that of {}", *u.other));
    if (told.insert(line).second && lines.size() < 6) lines.push_back(line);
  }
  lines.push_back(fmt::format("columns {} of {}", ranges(wrong), lens.k()));
  return Diagnosis{"scale-pairing", "values get the scale of others", lines};
}

Found factor(const std::vector<double>& seen, const std::vector<double>& right, const Question& q) {
  std::vector<int64_t> wrong;
  bool negative = true;  // whether all that is wrong has a negative scale, and nothing else has
  for (size_t e = 0; e < right.size(); ++e) {
    if (seen[e] != right[e]) wrong.push_back(static_cast<int64_t>(e));
    negative = negative && (seen[e] != right[e]) == std::signbit(right[e]);
  }
  const std::string where = fmt::format("columns {} of {}", ranges(wrong), right.size());
  const auto all = [&](auto f) {
    return std::all_of(wrong.begin(), wrong.end(),
                       [&](int64_t e) { return seen[static_cast<size_t>(e)] == f(right[static_cast<size_t>(e)]); });
  };
  const bool minimum = q.what.starts_with("the minimum");
  if (all([](double) { return 0.0; }) && (minimum || wrong.size() == right.size())) {
    return Diagnosis{minimum ? "minimum-missing" : "scale-missing", fmt::format("{}s has no effect", q.what), {where}};
  }
  if (all([](double v) { return -v; })) {
    if (negative && wrong.size() < right.size()) {
      return Diagnosis{"scale-wrong", fmt::format("{}s loses its sign where it is negative", q.what), {where}};
    }
    return Diagnosis{"sign-flipped", fmt::format("{}s counts with the wrong sign", q.what), {where}};
  }
  if (all([](double v) { return 2 * v; }))
    return Diagnosis{"unit-repeated", fmt::format("{}s counts twice", q.what), {where}};
  // rounded to the eight bits of bfloat16, or to fewer than the eleven it has
  const auto nearly = [&](int64_t e) {
    const auto at = static_cast<size_t>(e);
    return std::fabs(seen[at] - right[at]) <= 0x1p-7 * std::fabs(right[at]);
  };
  if (std::all_of(wrong.begin(), wrong.end(), nearly)) {
    const auto e = static_cast<size_t>(wrong.front());
    return Diagnosis{"low-precision",
                     fmt::format("{}s, or the result, is kept in fewer bits than it has", q.what),
                     {fmt::format("column {}: {:.9g} instead of {:.9g}", e, seen[e], right[e]), where}};
  }
  return std::nullopt;
}

// Stored scales of sub-blocks that are decoded wrongly while others are right.
Found stored(const Lens& lens, const Question& q, const std::vector<double>& seen, const std::vector<double>& right) {
  const ggml::Traits& t = lens.traits();
  const size_t n = t.scales;
  if (!q.what.starts_with("the scale of sub-block") || n == 0) return std::nullopt;
  std::map<int, double> wrong;  // and what 1 is multiplied with in its place
  std::set<int> fine;
  const std::vector<double> unit = lens.right(plain_row(lens));
  for (size_t e = 0; e < right.size(); ++e) {
    const int scale = q.row.blocks[q.owner[e] / n].scales[q.owner[e] % n];
    if (seen[e] == right[e]) {
      fine.insert(scale);
    } else if (const auto [at, fresh] = wrong.try_emplace(scale, seen[e] / unit[e]);
               !fresh && at->second != seen[e] / unit[e]) {
      return std::nullopt;  // not a matter of what is stored
    }
  }
  std::vector<std::string> lines;
  for (const auto& [scale, value] : wrong) {
    if (fine.contains(scale)) return std::nullopt;
    if (lines.size() < 8) lines.push_back(fmt::format("{:#04x} counts as {:.6g}", scale, value));
  }
  const auto all = [&](auto f) {
    return std::all_of(wrong.begin(), wrong.end(), [&](const auto& w) { return f(w.first); });
  };
  const std::string evidence = fmt::format("stored scales: {}", fmt::join(lines, ", "));
  if (all([&](int s) { return s < t.scale->denormal_below; }))
    return Diagnosis{"denormals", "scales that are denormal are taken for others, or for zero", {evidence}};
  if (all([&](int s) { return s == t.scale->not_a_number; })) {
    return Diagnosis{
        "special-scale",
        fmt::format("the scale {:#04x}, which stands for no number, is not taken for 0", t.scale->not_a_number),
        {evidence}};
  }
  return Diagnosis{"scale-wrong", "scales of sub-blocks are decoded wrongly", {evidence}};
}

// A scale that nobody applied: the answers are those of a row in which it is 1.
Found ignored(const Lens& lens, const Question& q, const std::vector<double>& seen) {
  LensRow flat = q.row;
  const LensRow one = lens.neutral();
  for (size_t b = 0; b < flat.blocks.size(); ++b) {
    if (q.what.starts_with("the scale of block")) flat.blocks[b].d = one.blocks[b].d;
    if (q.what.starts_with("the scale of sub-block")) flat.blocks[b].scales = one.blocks[b].scales;
  }
  if (q.what.starts_with("the scale of activation")) flat.act_scales = one.act_scales;
  if (seen != lens.right(flat)) return std::nullopt;
  return Diagnosis{"scale-missing", q.what + "s is not applied", {"the answers are those of scales that are all 1"}};
}

// With another `salt` the marks are others.
std::vector<Question> questions(const Lens& lens, size_t salt) {
  std::vector<Question> out;
  const ggml::Traits& t = lens.traits();
  const auto k = static_cast<size_t>(lens.k());
  const auto column = [&](Question& q, size_t length) {
    for (size_t e = 0; e < k; ++e) q.owner.push_back(e / length);
  };
  const LensRow flat = plain_row(lens);
  if (t.d) {
    Question q{flat, "the scale of block", {}};
    for (size_t b = 0; b < q.row.blocks.size(); ++b) q.row.blocks[b].d = marked(b + salt);
    column(q, lens.elements());
    out.push_back(std::move(q));
  }
  if (t.scales > 0) {
    Question q{flat, "the scale of sub-block", {}};
    size_t i = salt;
    for (ggml::Fields& f : q.row.blocks) {
      for (uint8_t& s : f.scales) s = marked_scale(*t.scale, i++);
    }
    column(q, lens.elements() / t.scales);
    out.push_back(std::move(q));
  }
  if (t.scale != nullptr && t.scale->floating) {
    Question q{flat, "the scale of sub-block", {}};
    size_t i = salt;
    for (ggml::Fields& f : q.row.blocks) {
      for (uint8_t& s : f.scales) s = t.scale->edges[i++ % t.scale->edges.size()];
    }
    column(q, lens.elements() / t.scales);
    out.push_back(std::move(q));
  }
  if (t.minima > 0) {
    Question q{lens.neutral(), "the minimum of sub-block", {}};
    size_t i = salt;
    for (ggml::Fields& f : q.row.blocks) {
      for (uint8_t& m : f.minima) m = static_cast<uint8_t>(1 + 11 * i++ % ((1U << t.minimum_bits()) - 2));
    }
    column(q, lens.elements() / t.minima);
    out.push_back(std::move(q));
  }
  if (t.c) {
    Question q{lens.neutral(), "the minimum's scale of block", {}};
    for (size_t b = 0; b < q.row.blocks.size(); ++b) {
      q.row.blocks[b].c = marked(b + salt);
      std::fill(q.row.blocks[b].minima.begin(), q.row.blocks[b].minima.end(), uint8_t{1});
    }
    column(q, lens.elements());
    out.push_back(std::move(q));
  }
  if (lens.act_elements() > 0) {
    Question q{flat, "the scale of activation block", {}};
    for (size_t a = 0; a < q.row.act_scales.size(); ++a) q.row.act_scales[a] = f16::to_float(marked(a + salt));
    column(q, lens.act_elements());
    out.push_back(std::move(q));
  }
  return out;
}

}  // namespace

Found scales(const Lens& lens, bool& plain) {
  constexpr size_t kOtherMarks = 17;
  plain = true;
  const std::vector<Question> all = questions(lens, 0);
  for (size_t i = 0; i < all.size(); ++i) {
    const Question& q = all[i];
    const auto seen = lens.seen(q.row);
    if (!seen) return std::nullopt;
    const std::vector<double> right = lens.right(q.row);
    if (*seen == right) continue;
    plain = false;
    Found d = ignored(lens, q, *seen);
    if (!d) d = factor(*seen, right, q);
    if (!d) d = pairing(lens, q, *seen, questions(lens, kOtherMarks)[i]);
    if (!d) d = stored(lens, q, *seen, right);
    if (d) return d;
    std::vector<int64_t> wrong;
    for (size_t e = 0; e < right.size(); ++e) {
      if ((*seen)[e] != right[e]) wrong.push_back(static_cast<int64_t>(e));
    }
    const auto e = static_cast<size_t>(wrong.front());
    return Diagnosis{"scale-wrong",
                     "a scale is applied wrongly: " + q.what + "s",
                     {fmt::format("column {}: {:.9g} instead of {:.9g}", e, (*seen)[e], right[e]),
                      fmt::format("columns {}", ranges(wrong))}};
  }
  return std::nullopt;
}

}  // namespace tritcheck::block_steps
