// Rows of I2_S: the right answers and the bytes of a call.
#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "harness/cases/generate.h"
#include "reference/dot.h"
#include "reference/epilogue.h"

namespace tritcheck {
namespace {

std::span<const int8_t> activations(const Problem& p) {
  return {reinterpret_cast<const int8_t*>(p.y.data()), p.y.size()};
}

// Rows of `row_bytes` moved apart by `pad` bytes of noise.
template <class T>
std::vector<T> spread(const std::vector<T>& rows, int64_t row_bytes, int64_t pad) {
  if (pad == 0) return rows;
  const int64_t count = static_cast<int64_t>(rows.size()) / row_bytes;
  std::vector<T> out(static_cast<size_t>(count * row_bytes + (count - 1) * pad));
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(i * 151 + 77);
  for (int64_t r = 0; r < count; ++r) {
    std::copy_n(rows.begin() + r * row_bytes, row_bytes, out.begin() + r * (row_bytes + pad));
  }
  return out;
}

}  // namespace

void I2sProblem::pack() {
  x.resize(static_cast<size_t>(i2_s::code_bytes(shape())));
  i2_s::pack(layout, shape(), codes, x);
  y.assign(q.begin(), q.end());
}

void expect_i2_s(const Problem& p, Expectation& out) {
  for (int32_t i = 0; i < p.n; ++i) {
    const int64_t row = p.op == Op::gemv ? p.row0 + i : p.op == Op::rows ? i : 0;
    const auto q =
        activations(p).subspan(static_cast<size_t>((p.op == Op::acts ? i : 0) * p.k), static_cast<size_t>(p.k));
    const i2_s::Dot one = i2_s::dot_explicit(p.layout, p.shape(), p.x, row, q);
    if (one != i2_s::dot_offset(p.layout, p.shape(), p.x, row, q)) {
      throw std::logic_error("the two oracles disagree; this is a bug of tritcheck");
    }
    out.words.push_back(static_cast<size_t>(i * p.out_stride));
    out.bounds.push_back(0);
    if (p.op != Op::gemv) {
      const auto whole = static_cast<double>(p.result == Result::centred ? one.centred : one.raw);
      out.values.push_back(p.float_out ? double{static_cast<float>(whole)} : whole);
    } else {
      const int64_t sum = p.act_sum.value_or(static_cast<int32_t>(one.raw - one.centred));
      out.values.push_back(i2_s::scaled(i2_s::Epilogue::integer_div_mul, one.raw, sum, p.act_scale, p.w_scale));
    }
  }
}

void lay_out_i2_s(const Problem& p, CallRequest& r) {
  r.out_words = static_cast<uint32_t>((p.n - 1) * p.out_stride + 1);
  r.weights = p.x;
  r.activations.assign(activations(p).begin(), activations(p).end());
  switch (p.op) {
    case Op::dot:
      r.w_stride = 0x5A5A5A5A;
      r.q_stride = 0x6B6B6B6B;
      r.out_stride = 0x7C7C7C7C;
      break;
    case Op::rows: {
      // rows_1x4 keeps four rows together: what is spread are its groups of K bytes, four strides apart
      const bool grouped = p.layout == Layout::rows_1x4;
      const int64_t together = grouped ? p.k : p.k / 4;
      r.w_stride = static_cast<uint64_t>((p.k + 3) / 4 + p.w_pad);
      r.weights = spread(r.weights, together, (grouped ? 4 : 1) * static_cast<int64_t>(r.w_stride) - together);
      r.q_stride = 0x6B6B6B6B;
      r.out_stride = static_cast<uint64_t>(p.out_stride);
      break;
    }
    case Op::acts:
      r.w_stride = 0x5A5A5A5A;
      r.q_stride = static_cast<uint64_t>(p.k + p.q_pad);
      r.activations = spread(r.activations, p.k, p.q_pad);
      r.out_stride = static_cast<uint64_t>(p.out_stride);
      break;
    case Op::gemv:
      r.m = p.m;
      r.row0 = p.row0;
      r.nrows = p.n;
      r.act_scale = p.act_scale;
      r.act_sum = p.act_sum.value_or(std::accumulate(activations(p).begin(), activations(p).end(), 0));
      r.weights.resize(r.weights.size() + sizeof(float));
      std::memcpy(r.weights.data() + r.weights.size() - sizeof(float), &p.w_scale, sizeof(float));
      break;
    default:
      throw std::logic_error("no operation of I2_S");
  }
}

}  // namespace tritcheck
