#include "harness/bench/workload.h"

#include <cstring>
#include <numeric>

#include "harness/bench/direct.h"
#include "reference/prng.h"

namespace tritcheck::bench {

Workload::Workload(int64_t bytes)
    : bytes_(bytes),
      tensor_(static_cast<size_t>(bytes) + i2_s::kTailBytes),
      q_(static_cast<size_t>(kK * kActs)),
      out_(static_cast<size_t>(std::max<int64_t>(rows(), kActs))),
      y_(static_cast<size_t>(rows())) {
  Prng rng(1);
  for (size_t i = 0; i + 8 <= static_cast<size_t>(bytes); i += 8) {
    const uint64_t word = rng.next();
    std::memcpy(tensor_.data() + i, &word, sizeof word);
  }
  i2_s::store_scale({kK, rows()}, tensor_.span(), 0.5F);
  for (int8_t& q : q_.span()) q = static_cast<int8_t>(rng.between(-127, 127));
  act_sum_ = std::accumulate(q_.data(), q_.data() + kK, 0);
}

void Workload::pass(const Kernel& kernel) {
  constexpr size_t kRowBytes = kK / 4;
  switch (kernel.contract.op) {
    case Op::dot:
      for (int64_t row = 0; row < rows(); ++row) {
        kernel.dot(kK, &out_[static_cast<size_t>(row)], 1, weights() + row * kK / 4, 0, q_.data(), 0, 1);
      }
      break;
    case Op::rows:
      kernel.dot(kK, out_.data(), 1, weights(), kRowBytes, q_.data(), 0, static_cast<int>(rows()));
      break;
    case Op::acts:
      for (int64_t row = 0; row < rows(); ++row) {
        kernel.dot(kK, out_.data(), 1, weights() + row * kK / 4, 0, q_.data(), kK, kActs);
      }
      break;
    case Op::gemv:
      kernel.gemv(kK, rows(), y_.data(), weights(), q_.data(), 127.0F, act_sum_, 0, rows());
      break;
    case Op::vec_dot:
    case Op::to_float:
    case Op::from_float:
      break;
  }
}

std::optional<std::string> why_wrong(const Kernel& kernel) {
  const Contract& c = kernel.contract;
  direct::Problem p;
  p.shape = {kK, 8};
  p.nrows = 8;
  p.acts = c.op == Op::acts ? kActs + 1 : 1;
  p.codes.resize(static_cast<size_t>(i2_s::code_bytes(p.shape)));
  p.q.resize(static_cast<size_t>(p.acts * kK));
  Prng rng(2);
  for (uint8_t& b : p.codes) b = static_cast<uint8_t>(rng.below(256));
  for (int8_t& q : p.q) q = static_cast<int8_t>(rng.between(-128, 127));
  if (auto wrong = direct::check(kernel, p)) return wrong;
  // the extremes, which random data never comes near
  std::fill(p.codes.begin(), p.codes.end(), uint8_t{0xFF});
  std::fill(p.q.begin(), p.q.end(), int8_t{-128});
  return direct::check(kernel, p);
}

}  // namespace tritcheck::bench
