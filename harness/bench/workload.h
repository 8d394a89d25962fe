// What a benchmark calls: one pass of a kernel over a weight tensor of a given size.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernel.h"

namespace tritcheck::bench {

inline constexpr int64_t kK = 4096;  ///< weights in a row
inline constexpr int kActs = 8;      ///< activation rows for op acts

/// Memory aligned to a cache line, as engines give it to kernels; a vector that straddles lines costs two loads.
template <class T>
class Aligned {
 public:
  explicit Aligned(size_t size) : owner_(new T[size + kLine / sizeof(T)]()), size_(size) {
    const auto address = reinterpret_cast<uintptr_t>(owner_.get());
    data_ = owner_.get() + (kLine - address % kLine) % kLine / sizeof(T);
  }
  T* data() const { return data_; }
  std::span<T> span() const { return {data_, size_}; }

 private:
  static constexpr size_t kLine = 64;
  std::unique_ptr<T[]> owner_;
  T* data_;
  size_t size_;
};

/// Packed weights of `bytes` bytes (a multiple of 4 rows) with a scale behind them, activations and room for results.
/// The codes are random: the kernels take the same time for all, but memory that was never written is no memory.
class Workload {
 public:
  explicit Workload(int64_t bytes);

  /// Every weight row once, with one activation row (dot, rows, gemv) or kActs (acts).
  void pass(const Kernel& kernel);

  int64_t bytes() const { return bytes_; }
  int64_t rows() const { return bytes_ / (kK / 4); }
  const uint8_t* weights() const { return tensor_.data(); }

 private:
  int64_t bytes_;
  Aligned<uint8_t> tensor_;
  Aligned<int8_t> q_;
  std::vector<int32_t> out_;
  std::vector<float> y_;
  int32_t act_sum_ = 0;
};

/// Why this kernel must not be timed: the first call on which it differs from the oracles; nothing if it is right.
std::optional<std::string> why_wrong(const Kernel& kernel);

}  // namespace tritcheck::bench
