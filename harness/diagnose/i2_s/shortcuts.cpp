// Work that is skipped when the data look as if it could be.
#include <fmt/format.h>

#include "harness/diagnose/i2_s/steps.h"

namespace tritcheck::i2_s_steps {
namespace {

Found zero_sum(const Asker& ask, const Base& base) {
  if (ask.contract().op != Op::gemv) return std::nullopt;
  const auto at = static_cast<size_t>(base.output);
  I2sProblem p = ask.blank(base.k, base.n, 2, 1);
  for (size_t j = 0; j < p.q.size(); ++j) p.q[j] = static_cast<int8_t>(j % 2 == 0 ? 5 : -5);
  for (size_t j = 0; j < p.codes.size(); j += 2) p.codes[j] = 1;
  const Answer balanced = ask.ask(p);
  I2sProblem told = p;
  told.act_sum = 3;
  if (!balanced.returned || balanced.values[at] == right_values(p)[at] || !ask.right(told)) return std::nullopt;
  Diagnosis d;
  d.name = "zero-shortcut";
  d.sentence = "a sum of zero is taken for a row of zeros";
  d.evidence = {
      fmt::format("activations +-5 with sum 0: got {:.9g}, expected {:.9g}; told another sum, the same row is right",
                  balanced.values[at], right_values(p)[at])};
  return d;
}

// One column stands out from a row of zeros: in the activations, or in the codes.
Found sparse(const Asker& ask, const Base& base, bool in_codes) {
  const auto at = static_cast<size_t>(base.output);
  const int64_t k = std::min<int64_t>(base.k, 1024);
  std::vector<I2sProblem> problems;
  for (int64_t j = 0; j < k; ++j) {
    I2sProblem p = in_codes ? ask.blank(base.k, base.n, 0, 3) : ask.blank(base.k, base.n, 2, 0);
    if (in_codes) {
      for (int64_t row = 0; row < p.weight_rows(); ++row) p.codes[static_cast<size_t>(row * p.k + j)] = 1;
    } else {
      for (int64_t row = 0; row < p.act_rows(); ++row) p.q[static_cast<size_t>(row * p.k + j)] = 1;
    }
    problems.push_back(std::move(p));
  }
  const std::vector<Answer> answers = ask.ask(problems);
  std::vector<int64_t> lost;
  std::vector<int64_t> seen;
  for (int64_t j = 0; j < k; ++j) {
    const auto i = static_cast<size_t>(j);
    (answers[i].returned && answers[i].values[at] == right_values(problems[i])[at] ? seen : lost).push_back(j);
  }
  // no shortcut if nothing is ever seen, or if the row of zeros itself is wrong
  if (lost.empty() || seen.empty() || !ask.right(ask.blank(base.k, base.n, in_codes ? 0 : 2, in_codes ? 3 : 0)))
    return std::nullopt;
  Diagnosis d;
  d.name = "sparse-skip";
  d.sentence = in_codes ? "weights are skipped because their neighbours' codes are 0"
                        : "activations are skipped because their neighbours are 0";
  d.evidence = {fmt::format("alone in a row of zeros, columns {} are lost", ranges(lost)),
                fmt::format("columns {} are seen", ranges(seen)), "in dense rows every column counts"};
  return d;
}

}  // namespace

Found shortcuts(const Asker& ask, const Base& base, std::span<const Failed>) {
  if (auto d = zero_sum(ask, base)) return d;
  if (base.k > kShortRow) return std::nullopt;
  if (!ask.right(ask.blank(base.k, base.n, 2, 3))) return std::nullopt;
  if (auto d = sparse(ask, base, false)) return d;
  return sparse(ask, base, true);
}

}  // namespace tritcheck::i2_s_steps
