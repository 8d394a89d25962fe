#include "harness/problem.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "reference/dot.h"
#include "reference/epilogue.h"

namespace tritcheck {
namespace {

std::span<const int8_t> act_row(const Problem& p, int64_t row) {
  return std::span(p.q).subspan(static_cast<size_t>(row * p.k), static_cast<size_t>(p.k));
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

std::vector<uint8_t> packed(const Problem& p) {
  std::vector<uint8_t> bytes(static_cast<size_t>(i2_s::code_bytes(p.shape())));
  i2_s::pack(p.layout, p.shape(), p.codes, bytes);
  return bytes;
}

std::vector<double> expected(const Problem& p) {
  return expected(p, packed(p));
}

std::vector<double> expected(const Problem& p, std::span<const uint8_t> bytes) {
  std::vector<double> out;
  for (int32_t i = 0; i < p.n; ++i) {
    const int64_t row = p.op == Op::gemv ? p.row0 + i : p.op == Op::rows ? i : 0;
    const auto q = act_row(p, p.op == Op::acts ? i : 0);
    const i2_s::Dot one = i2_s::dot_explicit(p.layout, p.shape(), bytes, row, q);
    if (one != i2_s::dot_offset(p.layout, p.shape(), bytes, row, q)) {
      throw std::logic_error("the two oracles disagree; this is a bug of tritcheck");
    }
    if (p.op != Op::gemv) {
      const auto whole = static_cast<double>(p.result == Result::centred ? one.centred : one.raw);
      out.push_back(p.float_out ? double{static_cast<float>(whole)} : whole);
    } else {
      const int64_t sum = p.act_sum.value_or(static_cast<int32_t>(one.raw - one.centred));
      out.push_back(i2_s::scaled(i2_s::Epilogue::integer_div_mul, one.raw, sum, p.act_scale, p.w_scale));
    }
  }
  return out;
}

CallRequest make_request(const Problem& p, uint32_t kernel, bool guarded) {
  return make_request(p, packed(p), kernel, guarded);
}

CallRequest make_request(const Problem& p, std::vector<uint8_t> bytes, uint32_t kernel, bool guarded) {
  CallRequest r;
  r.kernel = kernel;
  r.guarded = guarded;
  r.k = p.k;
  r.nrc = p.n;
  r.w_offset = p.w_offset;
  r.q_offset = p.q_offset;
  r.out_offset = p.out_offset;
  r.threads = p.threads;
  r.out_words = static_cast<uint32_t>((p.n - 1) * p.out_stride + 1);
  r.weights = std::move(bytes);
  r.activations = p.q;
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
      r.activations = spread(p.q, p.k, p.q_pad);
      r.out_stride = static_cast<uint64_t>(p.out_stride);
      break;
    case Op::gemv:
      r.m = p.m;
      r.row0 = p.row0;
      r.nrows = p.n;
      r.act_scale = p.act_scale;
      r.act_sum = p.act_sum.value_or(std::accumulate(p.q.begin(), p.q.end(), 0));
      r.weights.resize(r.weights.size() + sizeof(float));
      std::memcpy(r.weights.data() + r.weights.size() - sizeof(float), &p.w_scale, sizeof(float));
      break;
    case Op::vec_dot:
      throw std::logic_error("a dot product of blocks is no I2_S problem");
  }
  return r;
}

std::vector<double> answers(const Problem& p, const std::vector<uint32_t>& words) {
  std::vector<double> out;
  for (int32_t i = 0; i < p.n; ++i) {
    const uint32_t word = words.at(static_cast<size_t>(i * p.out_stride));
    out.push_back(p.op == Op::gemv || p.float_out ? double{std::bit_cast<float>(word)}
                                                  : static_cast<double>(std::bit_cast<int32_t>(word)));
  }
  return out;
}

}  // namespace tritcheck
