#include "harness/bench/direct.h"

#include <bit>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "reference/dot.h"
#include "reference/epilogue.h"

namespace tritcheck::direct {
namespace {

constexpr uint32_t kCanary = 0x7FC0DEAD;  // beyond every raw sum, and a NaN

// A heap block with nothing behind it; `data` is off an aligned start by the offset.
template <class T>
struct Block {
  Block(size_t offset, size_t size) : owner(new T[offset + size]()), data(owner.get() + offset) {}
  std::unique_ptr<T[]> owner;
  T* data;
};

int64_t results(const Kernel& kernel, const Problem& p) {
  switch (kernel.contract.op) {
    case Op::dot:
      return 1;
    case Op::rows:
      return p.shape.rows;
    case Op::acts:
      return p.acts;
    case Op::gemv:
      return p.nrows;
    case Op::vec_dot:
    case Op::to_float:
    case Op::from_float:
      break;  // check_vec_dot()
  }
  return 0;
}

i2_s::Dot oracle(Layout layout, const Problem& p, int64_t row, int64_t act) {
  const std::span q = std::span(p.q).subspan(static_cast<size_t>(act * p.shape.k), static_cast<size_t>(p.shape.k));
  const i2_s::Dot dot = i2_s::dot_offset(layout, p.shape, p.codes, row, q);
  if (dot != i2_s::dot_explicit(layout, p.shape, p.codes, row, q)) throw std::logic_error("the two oracles disagree");
  return dot;
}

void call_dot(const Kernel& kernel, const Problem& p, uint32_t* out) {
  // rows, or groups of rows that share bytes
  const int64_t unit = kernel.contract.row_multiple;
  const auto k = static_cast<size_t>(p.shape.k);
  const size_t unit_bytes = k * static_cast<size_t>(unit) / 4;
  const size_t w_stride = (k + 3) / 4 + p.w_pad;
  const auto units = static_cast<size_t>(kernel.contract.op == Op::rows ? p.shape.rows / unit : 1);
  const size_t unit_stride = w_stride * static_cast<size_t>(unit);
  Block<uint8_t> w(p.w_offset, units == 0 ? 0 : (units - 1) * unit_stride + unit_bytes);
  for (size_t u = 0; u < units; ++u) {
    std::memcpy(w.data + u * unit_stride, p.codes.data() + u * unit_bytes, unit_bytes);
  }
  const auto acts = static_cast<size_t>(kernel.contract.op == Op::acts ? p.acts : 1);
  const size_t q_stride = k + p.q_pad;
  Block<int8_t> q(p.q_offset, acts == 0 ? 0 : (acts - 1) * q_stride + k);
  for (size_t a = 0; a < acts; ++a) std::memcpy(q.data + a * q_stride, p.q.data() + a * k, k);
  kernel.dot(p.shape.k, reinterpret_cast<int32_t*>(out), p.out_stride, w.data, w_stride, q.data, q_stride,
             static_cast<int>(results(kernel, p)));
}

void call_gemv(const Kernel& kernel, const Problem& p, uint32_t* out) {
  const auto code_bytes = static_cast<size_t>(i2_s::code_bytes(p.shape));
  Block<uint8_t> tensor(p.w_offset, code_bytes + sizeof p.w_scale);
  std::memcpy(tensor.data, p.codes.data(), code_bytes);
  std::memcpy(tensor.data + code_bytes, &p.w_scale, sizeof p.w_scale);
  const auto k = static_cast<size_t>(p.shape.k);
  Block<int8_t> q(p.q_offset, k);
  std::memcpy(q.data, p.q.data(), k);
  const int32_t act_sum = std::accumulate(q.data, q.data + k, 0);
  std::vector<float> y(static_cast<size_t>(p.nrows) + 1, std::bit_cast<float>(kCanary));
  kernel.gemv(p.shape.k, p.shape.rows, y.data(), tensor.data, q.data, p.act_scale, act_sum, p.row0, p.nrows);
  std::memcpy(out, y.data(), y.size() * sizeof(float));
}

}  // namespace

std::vector<uint32_t> expected(const Kernel& kernel, const Problem& p) {
  std::vector<uint32_t> values;
  for (int64_t i = 0; i < results(kernel, p); ++i) {
    const Op op = kernel.contract.op;
    const int64_t row = op == Op::rows ? i : op == Op::gemv ? p.row0 + i : 0;
    const i2_s::Dot dot = oracle(kernel.contract.layout, p, row, op == Op::acts ? i : 0);
    if (op == Op::gemv) {
      values.push_back(std::bit_cast<uint32_t>(
          i2_s::scaled(i2_s::Epilogue::integer_div_mul, dot.raw, dot.raw - dot.centred, p.act_scale, p.w_scale)));
    } else {
      values.push_back(static_cast<uint32_t>(kernel.contract.result == Result::centred ? dot.centred : dot.raw));
    }
  }
  return values;
}

std::optional<std::string> check(const Kernel& kernel, const Problem& p) {
  return check(kernel, p, expected(kernel, p));
}

std::optional<std::string> check(const Kernel& kernel, const Problem& p, const std::vector<uint32_t>& right) {
  const size_t stride = kernel.contract.op == Op::rows || kernel.contract.op == Op::acts ? p.out_stride : 1;
  // one canary behind the last result
  std::vector<uint32_t> want((right.empty() ? 0 : (right.size() - 1) * stride + 1) + 1, kCanary);
  for (size_t i = 0; i < right.size(); ++i) want[i * stride] = right[i];
  std::vector<uint32_t> got(want.size(), kCanary);
  if (kernel.contract.op == Op::gemv) {
    call_gemv(kernel, p, got.data());
  } else {
    call_dot(kernel, p, got.data());
  }
  for (size_t i = 0; i < want.size(); ++i) {
    if (got[i] == want[i]) continue;
    const auto text = [&](uint32_t word) {
      if (word == kCanary) return std::string("the canary");
      return kernel.contract.op == Op::gemv ? std::to_string(std::bit_cast<float>(word))
                                            : std::to_string(static_cast<int32_t>(word));
    };
    return std::string(kernel.name) + ": K = " + std::to_string(p.shape.k) + ", output element " + std::to_string(i) +
           " is " + text(got[i]) + ", should be " + text(want[i]);
  }
  return std::nullopt;
}

}  // namespace tritcheck::direct
