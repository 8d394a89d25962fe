// Functions without an oracle: which relation is broken, and on what data.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/cases/grids.h"
#include "harness/diagnose/blocks/steps.h"

namespace tritcheck::block_steps {
namespace {

std::string seen_on(const std::set<GridKind>& kinds) {
  if (kinds.contains(GridKind::moderate)) return "small activations and scales of 1 are enough";
  if (kinds.size() > 1) return "small activations and scales of 1 do not show it; several kinds of special data do";
  switch (*kinds.begin()) {
    case GridKind::extreme:
      return "only activations of 127 and -127 show it: a partial sum wraps or clamps";
    case GridKind::scales:
      return "only blocks whose scales differ show it: a block gets another one's scale, or a scale loses its sign";
    case GridKind::zero_acts:
      return "only activations that are all 0 show it";
    case GridKind::zero_scale:
      return "only blocks with scale 0 show it";
    default:
      return "";
  }
}

}  // namespace

Found broken_relation(const Suspect& suspect, std::span<const Failed> failures) {
  if (grid_named(suspect.info.format) == nullptr) return std::nullopt;
  std::set<int64_t> columns;
  std::set<GridKind> kinds;
  std::set<int64_t> lengths;
  const Failed* column = nullptr;
  const Failed* row = nullptr;
  for (const Failed& f : failures) {
    if (f.judgement.verdict != Verdict::mismatch) continue;
    const Case& c = f.prepared->spec;
    if (c.probe == "decode") {
      if (column == nullptr) column = &f;
      columns.insert(c.param("pos"));
    } else {
      if (row == nullptr) row = &f;
      kinds.insert(static_cast<GridKind>(c.param("kind")));
      lengths.insert(c.k);
    }
  }
  Diagnosis d;
  const auto all_zero = [](const Failed& f) {
    return std::ranges::all_of(f.judgement.got, [](double v) { return v == 0; });
  };
  if (column != nullptr && columns.size() > 1 && std::ranges::all_of(failures, all_zero)) {
    d.name = "zero-result";
    d.sentence = "the result is 0 whatever goes in";
    d.evidence = {"no weight of this format is 0, so that no column of a random block can give 0",
                  "if this is so for every type, the library's tables were never filled: see its notes above"};
    d.based_on = static_cast<size_t>(column - failures.data());
    return d;
  }
  if (column != nullptr && suspect.reader) {
    d.name = "decode-mismatch";
    d.sentence = "the product gives a column another weight than the library's own to_float";
    d.evidence.push_back(fmt::format(
        "column {} of a block: {:.9g}, by to_float {:.9g}; the first columns that differ: {}",
        column->spec().param("pos"), column->judgement.got[0], column->expected().values[0], fmt::join(columns, ", ")));
    d.evidence.emplace_back("which of the two is right cannot be told without the format's grid");
    d.based_on = static_cast<size_t>(column - failures.data());
    return d;
  }
  const Failed* at = row != nullptr ? row : column;
  if (at == nullptr) return std::nullopt;
  d.name = "not-linear";
  d.sentence = suspect.info.contract.op == Op::to_float
                   ? "the values of a row are not those of its blocks alone, times their scales"
                   : "the product of a row is not the sum of what the function gives for its columns one at a time";
  if (!kinds.empty()) d.evidence.push_back(seen_on(kinds));
  if (!lengths.empty()) d.evidence.push_back(fmt::format("wrong at K = {}", fmt::join(lengths, ", ")));
  d.based_on = static_cast<size_t>(at - failures.data());
  return d;
}

}  // namespace tritcheck::block_steps
