// Which way of reading packed bytes explains a pairing?
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "harness/diagnose/i2_s/steps.h"

namespace tritcheck::i2_s_steps {
namespace {

// Where the reading looks for weight `column` of row `row`: byte and shift, rows packed without gaps.
i2_s::Position look(const Reading& r, int64_t k, int64_t row, int64_t column) {
  if (r.group == 0) return {row / 4 * k + column, r.shifts[row % 4]};
  const int64_t e = row * k + column;
  const int64_t block = 4 * r.group;
  return {e / block * r.group + e % r.group, r.shifts[e % block / r.group]};
}

bool explains(const Reading& r, const Contract& c, int64_t k, int32_t n, int32_t row, const Pairing& pairing) {
  const int64_t rows = c.op == Op::rows || c.op == Op::gemv ? n : 1;
  if (r.group > 0 && rows * k % (4 * r.group) != 0) return false;
  // who reads the two bits at (byte, shift)?
  std::vector<int64_t> reader(static_cast<size_t>(rows * k), -1);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < k; ++j) {
      const i2_s::Position at = look(r, k, i, j);
      const int64_t slot = at.byte * 4 + at.shift / 2;
      if (slot >= rows * k) return false;
      reader[static_cast<size_t>(slot)] = i * k + j;
    }
  }
  for (int64_t j = 0; j < k; ++j) {
    const i2_s::Position at = i2_s::position(c.layout, k, row, j);
    const int64_t who = reader[static_cast<size_t>(at.byte * 4 + at.shift / 2)];
    const Pairing::Entry& e = pairing.entries[static_cast<size_t>(j)];
    if (who < 0 || e.count != 1 || e.partner != who % k) return false;
    if (rows > 1 && e.output != who / k) return false;
  }
  return true;
}

}  // namespace

std::string describe(const Reading& r) {
  const bool descending = r.shifts[0] == 6 && r.shifts[1] == 4 && r.shifts[2] == 2;
  const bool ascending = r.shifts[0] == 0 && r.shifts[1] == 2 && r.shifts[2] == 4;
  const std::string order = descending  ? ""
                            : ascending ? ", fields from the low bits up"
                                        : fmt::format(", fields at shifts {}, {}, {}, {}", r.shifts[0], r.shifts[1],
                                                      r.shifts[2], r.shifts[3]);
  if (r.group == 0) return "rows_1x4 (four rows in one byte" + order + ")";
  if (r.group == 1)
    return descending ? "linear (four neighbours in one byte, the first in the high bits)"
                      : "linear (four neighbours in one byte" + order + ")";
  std::string known = r.group == 32 && descending ? "x86_128 " : r.group == 16 && descending ? "arm_64 " : "";
  return fmt::format("{}{}/{}{}", known.empty() ? "" : known + "(", 4 * r.group, r.group, order) +
         (known.empty() ? "" : ")");
}

Reading reading_of(Layout layout) {
  Reading r;
  r.group = layout == Layout::x86_128 ? 32 : layout == Layout::arm_64 ? 16 : layout == Layout::linear ? 1 : 0;
  return r;
}

std::optional<Reading> find_reading(const Contract& c, int64_t k, int32_t n, int32_t row, const Pairing& pairing) {
  if (pairing.group != 1) return std::nullopt;
  // one row alone may fit several orders of the fields: the usual one first
  int order[4] = {6, 4, 2, 0};
  do {
    for (int64_t group = 0; 4 * group <= k; group = group == 0 ? 1 : 2 * group) {
      if (group == 0 && (n % 4 != 0 || (c.op != Op::rows && c.op != Op::gemv))) continue;
      const Reading r{group, {order[0], order[1], order[2], order[3]}};
      if (explains(r, c, k, n, row, pairing)) return r;
    }
  } while (std::prev_permutation(std::begin(order), std::end(order)));
  return std::nullopt;
}

}  // namespace tritcheck::i2_s_steps
