#include "harness/cases/data.h"

#include <algorithm>
#include <numeric>

#include "reference/half.h"
#include "reference/q8_0.h"
#include "reference/q8_1.h"
#include "reference/q8_k.h"

namespace tritcheck {

using ggml::Type;

void append(ggml::Acts acts, const ActBlock& block, std::vector<uint8_t>& row) {
  const size_t bytes = ggml::format(acts).bytes;
  row.resize(row.size() + bytes);
  const std::span<uint8_t> to = std::span(row).last(bytes);
  const int sum = std::accumulate(block.q.begin(), block.q.end(), 0);
  if (acts == ggml::Acts::q8_k) {
    q8_k::Block b;
    b.d = block.d;
    std::copy(block.q.begin(), block.q.end(), b.q.begin());
    b.bsums = q8_k::sums_of(b.q);
    q8_k::pack(b, to);
  } else if (acts == ggml::Acts::q8_1) {
    q8_1::Block b;
    b.d = f16::from_float(block.d);
    b.s = f16::from_float(f16::to_float(b.d) * static_cast<float>(sum));
    std::copy(block.q.begin(), block.q.end(), b.q.begin());
    q8_1::pack(b, to);
  } else {
    q8_0::Block b;
    b.d = f16::from_float(block.d);
    std::copy(block.q.begin(), block.q.end(), b.q.begin());
    q8_0::pack(b, to);
  }
}

void append(Type type, const ggml::Fields& fields, std::vector<uint8_t>& row) {
  const size_t bytes = ggml::format(type).bytes;
  row.resize(row.size() + bytes);
  ggml::pack(type, fields, std::span(row).last(bytes));
}

uint16_t half_power(int e) {
  return static_cast<uint16_t>((e + 15) << 10);
}

}  // namespace tritcheck
