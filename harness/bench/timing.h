// Timing that compares: a kernel and the bare loops take turns, so that a change of clock or a busy neighbour hits all.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace tritcheck::bench {

/// Seconds one call takes.
template <class F>
double seconds(F&& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Values of successive rounds. The median forgives the odd interrupted one.
class Samples {
 public:
  void add(double value) { values_.push_back(value); }
  /// 0 if there are none.
  double median() const {
    if (values_.empty()) return 0;
    std::vector<double> sorted = values_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
  }

 private:
  std::vector<double> values_;
};

}  // namespace tritcheck::bench
