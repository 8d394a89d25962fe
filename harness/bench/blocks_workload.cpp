#include "harness/bench/blocks_workload.h"

#include <bit>
#include <cstring>

#include "harness/bench/direct_blocks.h"
#include "reference/q8_k.h"

namespace tritcheck::bench {
namespace {

constexpr int64_t kBlocks = kK / static_cast<int64_t>(q8_k::kBlock);
constexpr int64_t kDifferent = 256;

}  // namespace

BlocksWorkload::BlocksWorkload(ggml::Type type, int64_t bytes)
    : type_(type),
      row_bytes_(kBlocks * static_cast<int64_t>(ggml::format(type).bytes)),
      rows_(bytes / row_bytes_),
      // the bare loop over two bits a weight reads more than tq1_0 has
      x_(static_cast<size_t>(std::max(rows_ * row_bytes_, rows_ * kK / 4) + 256)),
      y_(kBlocks * q8_k::kBytes),
      out_(static_cast<size_t>(rows_)) {
  Prng rng(1);
  for (int64_t row = 0; row < rows_; ++row) {
    uint8_t* to = x_.data() + row * row_bytes_;
    if (row >= kDifferent) {
      std::memcpy(to, to - kDifferent * row_bytes_, static_cast<size_t>(row_bytes_));
      continue;
    }
    const direct::Rows made = direct::random_rows(type, kBlocks, -127, rng);
    std::memcpy(to, made.x.data(), made.x.size());
    if (row == 0) std::memcpy(y_.data(), made.y.data(), made.y.size());
  }
}

void BlocksWorkload::pass(tritcheck_vec_dot_fn* function) {
  const uint8_t* x = x_.data();
  for (float& result : out_) {
    function(static_cast<int>(kK), &result, 0, x, 0, y_.data(), 0, 1);
    x += row_bytes_;
  }
}

std::optional<std::string> BlocksWorkload::why_wrong(std::string_view name, tritcheck_vec_dot_fn* function) {
  pass(function);
  for (int64_t row = 0; row < rows_; ++row) {
    if (row >= kDifferent) {
      const auto of = [this](int64_t r) { return std::bit_cast<uint32_t>(out_[static_cast<size_t>(r)]); };
      if (of(row) == of(row - kDifferent)) continue;
      return std::string(name) + ": row " + std::to_string(row) + " has another result than the same row before";
    }
    const uint8_t* x = x_.data() + row * row_bytes_;
    if (auto wrong =
            direct::check(name, function, {type_, {x, x + row_bytes_}, {y_.span().begin(), y_.span().end()}})) {
      return wrong;
    }
  }
  return std::nullopt;
}

}  // namespace tritcheck::bench
