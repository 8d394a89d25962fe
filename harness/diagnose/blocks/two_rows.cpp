// Two rows at a time: results that belong to another row, or that lie at another place.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <stdexcept>

#include "harness/diagnose/blocks/steps.h"
#include "harness/diagnose/blocks/values.h"

namespace tritcheck::block_steps {
namespace {

// Whether `got` holds the right result for `index`.
bool holds(const Failed& f, double got, size_t index) {
  const double value = f.expected().values[index];
  return std::isfinite(value) ? std::fabs(got - value) <= f.expected().bounds[index] : !std::isfinite(got);
}

// Whether the four results are the right ones for these indices.
bool are(const Failed& f, std::initializer_list<size_t> indices) {
  if (f.judgement.got.size() != indices.size()) return false;
  size_t at = 0;
  return std::all_of(indices.begin(), indices.end(), [&](size_t i) { return holds(f, f.judgement.got[at++], i); });
}

// Whether the output holds results of two rows, the second `stride` words behind the first.
bool stored_with(const Failed& f, size_t stride) {
  const auto& out = f.result.out_a;
  for (size_t i = 0; i < 4; ++i) {
    const size_t at = i % 2 + i / 2 * stride;
    if (at >= out.size() || !holds(f, std::bit_cast<float>(out[at]), i)) return false;
  }
  return true;
}

// Whether the results are those of a second row that begins right behind the first.
bool side_by_side(const Failed& f, bool weights) {
  Problem p = f.problem();
  std::vector<uint8_t>& rows = weights ? p.x : p.y;
  const size_t row = rows.size() / 2;
  // as make_request() lays them out
  std::vector<uint8_t> second(static_cast<size_t>(weights ? p.w_pad : p.q_pad), kBetweenRows);
  second.insert(second.end(), rows.begin() + static_cast<ptrdiff_t>(row), rows.end());
  std::copy_n(second.begin(), row, rows.begin() + static_cast<ptrdiff_t>(row));
  if (!weights_named(p.format)) return false;
  const ggml::Type type = *weights_named(p.format);
  const auto part = [](const std::vector<uint8_t>& of, size_t index) {
    return std::span(of).subspan(index * of.size() / 2, of.size() / 2);
  };
  for (size_t i = 0; i < 4; ++i) {
    try {
      // what is no row has sums that are not those of its codes, so that both ways of adding are possible
      const ggml::Dot one = ggml::dot(type, part(p.x, i % 2), part(p.y, i / 2));
      const ggml::Dot other = ggml::dot_in_order(type, part(p.x, i % 2), part(p.y, i / 2));
      const double got = f.judgement.got.at(i);
      const auto near = [&](const ggml::Dot& d) {
        return !std::isfinite(d.magnitude) || std::fabs(got - d.total) <= 1e-5 * d.magnitude;
      };
      if (!near(one) && !near(other)) return false;
    } catch (const std::domain_error&) {
      continue;  // those bytes have no meaning: nothing to compare with
    }
  }
  return true;
}

}  // namespace

Found misplaced(const Suspect&, std::span<const Failed> failures) {
  const auto possible = [](const Failed& f) {
    return f.problem().n == 2 && f.result.status == CallStatus::returned && f.result.changed == Buffer::none &&
           f.result.bytes_before == 0 && f.result.bytes_after == 0;
  };
  if (!std::all_of(failures.begin(), failures.end(), possible)) return std::nullopt;
  constexpr size_t kFurthest = 8;
  for (size_t stride = 1; stride <= kFurthest; ++stride) {
    const auto fits = [&](const Failed& f) {
      return static_cast<int64_t>(stride) != f.problem().out_stride && stored_with(f, stride);
    };
    if (!std::all_of(failures.begin(), failures.end(), fits)) continue;
    return Diagnosis{"out-stride",
                     "results are not stored where they belong",
                     {fmt::format("the right results, as if the stride were {} and not the {} that the caller gave",
                                  stride, failures.front().problem().out_stride)}};
  }
  return std::nullopt;
}

Found rows_of_two(std::span<const Failed> failures) {
  const auto two = [](const Failed& f) { return f.problem().n == 2 && f.judgement.verdict == Verdict::mismatch; };
  if (!std::all_of(failures.begin(), failures.end(), two)) return std::nullopt;
  const auto only = [&](auto fits) { return std::all_of(failures.begin(), failures.end(), fits); };
  if (only([](const Failed& f) { return f.problem().w_pad != 0 && side_by_side(f, true); })) {
    return Diagnosis{"row-stride",
                     "weight rows are taken to lie side by side, whatever distance the caller gives",
                     {"so read, the bytes between the rows give every wrong result; only padded rows are wrong"}};
  }
  if (only([](const Failed& f) { return f.problem().q_pad != 0 && side_by_side(f, false); })) {
    return Diagnosis{"act-stride",
                     "activation rows are taken to lie side by side, whatever distance the caller gives",
                     {"so read, the bytes between the rows give every wrong result; only padded rows are wrong"}};
  }
  // in the order (0, 0), (1, 0), (0, 1), (1, 1): weight row, activation row
  if (only([](const Failed& f) { return are(f, {0, 0, 2, 2}); })) {
    return Diagnosis{
        "row-stride", "both weight rows are the first", {"the results of row 0 twice, in every failing case"}};
  }
  if (only([](const Failed& f) { return are(f, {0, 1, 0, 1}); })) {
    return Diagnosis{
        "act-stride", "both activation rows are the first", {"the results of row 0 twice, in every failing case"}};
  }
  if (only([](const Failed& f) { return are(f, {0, 2, 1, 3}); })) {
    return Diagnosis{"nrc-swapped",
                     "with two rows at a time, results (0, 1) and (1, 0) are exchanged",
                     {"so exchanged, every failing case is right"}};
  }
  std::set<int32_t> which;
  for (const Failed& f : failures) which.insert(f.judgement.wrong.begin(), f.judgement.wrong.end());
  return Diagnosis{"rows-of-two",
                   "two rows at a time give wrong results where one row is right",
                   {fmt::format("of the four results, those number {} are wrong", fmt::join(which, ", "))}};
}

}  // namespace tritcheck::block_steps
