#include "harness/paris/localize.h"

#include <fmt/format.h>

#include <numeric>

#include "harness/cases/case.h"
#include "harness/paris/expected_step.h"

namespace tritcheck {
namespace {

constexpr int64_t kNeighbours = 8;  // rows that kernels take together

class Search {
 public:
  Search(const engine::Matrix& w, const engine::StepCall& call, int64_t row, int64_t token, RemoteEngine& candidate)
      : w_(w), call_(call), row_(row), token_(token), candidate_(candidate), reader_(w) {
    reader_.read(row);
  }

  // All other columns of all tokens are zero: what differs then comes from these.
  bool fails(int64_t begin, int64_t end) {
    engine::StepCall some = call_;
    some.q = activations(begin, end);
    for (int64_t t = 0; t < some.tokens; ++t) {
      const auto row = some.q.begin() + t * w_.k;
      some.sum[static_cast<size_t>(t)] = std::accumulate(row, row + w_.k, 0);
    }
    const engine::StepResult result = candidate_.step(some);
    const auto at = static_cast<size_t>(token_ * w_.rows + row_);
    got_ = at < result.y.size() ? result.y[at] : 0;
    want_ = expected_i2_s(w_, reader_, some, token_);
    return at >= result.y.size() || got_ != want_;
  }

  // All tokens' activations with those columns only.
  std::vector<int8_t> activations(int64_t begin, int64_t end) const {
    std::vector<int8_t> out(call_.q.size());
    for (int64_t at = 0; at < static_cast<int64_t>(out.size()); at += w_.k)
      std::copy(call_.q.begin() + at + begin, call_.q.begin() + at + end, out.begin() + at + begin);
    return out;
  }
  std::string numbers() const { return fmt::format("expected {:.9g}, got {:.9g}", want_, got_); }
  int weight(int64_t column) const { return reader_.weights()[static_cast<size_t>(column)]; }
  int act(int64_t column) const { return call_.q[static_cast<size_t>(token_ * w_.k + column)]; }

 private:
  const engine::Matrix& w_;
  const engine::StepCall& call_;
  int64_t row_, token_;
  RemoteEngine& candidate_;
  engine::RowReader reader_;
  float want_ = 0, got_ = 0;
};

// Columns from..to - 1 and `rows` rows around the wrong one.
Case cut(const engine::Matrix& w, const Localized& found, const Contract& contract, int64_t from, int64_t to,
         int64_t rows) {
  Case c;
  c.op = contract.op;
  c.layout = contract.layout;
  c.k = to - from;
  c.probe = "literal";
  c.seed = 1;
  const bool acts = contract.op == Op::acts;
  c.n = static_cast<int32_t>(acts ? found.tokens : contract.op == Op::dot ? 1 : rows);
  if (contract.op == Op::gemv) c.params = {{"m", rows}, {"row0", 0}};
  const int64_t first = std::min(found.row / rows * rows, w.rows - rows);
  std::vector<uint8_t> codes;
  std::vector<uint8_t> row(static_cast<size_t>(w.k));
  for (int64_t r = first; r < first + rows; ++r) {
    i2_s::unpack_row(w.layout, w.shape(), w.bytes, r, row);
    codes.insert(codes.end(), row.begin() + from, row.begin() + to);
  }
  const i2_s::Shape shape{c.k, rows};
  c.wbytes.resize(static_cast<size_t>(i2_s::code_bytes(shape)));
  i2_s::pack(contract.layout, shape, codes, c.wbytes);
  for (int64_t t = acts ? 0 : found.token; t <= (acts ? found.tokens - 1 : found.token); ++t) {
    for (int64_t j = from; j < to; ++j)
      c.qbytes.push_back(static_cast<uint8_t>(found.q[static_cast<size_t>(t * w.k + j)]));
  }
  return c;
}

}  // namespace

Localized localize(const engine::Matrix& w, const engine::StepCall& call, int64_t row, int64_t token,
                   RemoteEngine& candidate) {
  Search search(w, call, row, token, candidate);
  const int64_t blocks = (w.k + kBlockColumns - 1) / kBlockColumns;
  const auto end_of = [&](int64_t block) { return std::min(w.k, (block + 1) * kBlockColumns); };
  Localized out;
  out.row = row;
  out.token = token;
  out.tokens = call.tokens;
  const auto found = [&](int64_t begin, int64_t end, std::string text) {
    out.begin = begin;
    out.end = end;
    out.text = std::move(text);
    out.q = search.activations(begin, end);
    return out;
  };
  if (search.fails(0, 0))
    return found(0, 0, fmt::format("row {} is wrong even if every activation is zero: {}", row, search.numbers()));
  for (int64_t b = 0; b < blocks; ++b) {
    if (!search.fails(b * kBlockColumns, end_of(b))) continue;
    const std::string numbers = search.numbers();
    const std::string where =
        fmt::format("row {}, columns {} to {} alone (block {})", row, b * kBlockColumns, end_of(b) - 1, b);
    for (int64_t j = b * kBlockColumns; j < end_of(b); ++j) {
      if (!search.fails(j, j + 1)) continue;
      return found(j, j + 1,
                   fmt::format("{}: column {} by itself, weight {}, activation {}: {}", where, j, search.weight(j),
                               search.act(j), search.numbers()));
    }
    return found(b * kBlockColumns, end_of(b), fmt::format("{}, no column by itself: {}", where, numbers));
  }
  // Every block is right alone: something adds up. The shortest beginning that fails, then without its own beginning.
  int64_t last = 1;
  while (last < blocks && !search.fails(0, end_of(last - 1))) ++last;
  int64_t first = 0;
  while (first + 1 < last && search.fails((first + 1) * kBlockColumns, end_of(last - 1))) ++first;
  search.fails(first * kBlockColumns, end_of(last - 1));
  return found(first * kBlockColumns, end_of(last - 1),
               fmt::format("row {}, columns {} to {} together, no shorter run and no block alone: {}", row,
                           first * kBlockColumns, end_of(last - 1) - 1, search.numbers()));
}

std::vector<std::string> literal_cases(const engine::Matrix& w, const Localized& found, const Contract& contract) {
  std::vector<std::string> out;
  if (found.begin == found.end) return out;
  const int64_t group = contract.row_multiple;
  // whole blocks around the failing columns, so that each keeps its place in its block
  const int64_t step = std::lcm(kBlockColumns, contract.k_multiple);
  const int64_t begin = found.begin / step * step;
  const int64_t end = std::min(w.k, (found.end + step - 1) / step * step);
  const bool one_row = contract.op == Op::dot || contract.op == Op::acts;
  const auto add = [&](int64_t from, int64_t to, int64_t rows) {
    rows = std::min(rows, w.rows / group * group);
    if ((to - from) % contract.k_multiple != 0) return;
    std::string text = to_string(cut(w, found, contract, from, to, rows));
    if (text.size() <= Case::kMostLiteral && (out.empty() || out.back() != text)) out.push_back(std::move(text));
  };
  add(begin, end, group);
  if (!one_row) add(begin, end, std::lcm(group, kNeighbours));
  add(0, w.k, one_row ? group : std::lcm(group, kNeighbours));
  return out;
}

}  // namespace tritcheck
