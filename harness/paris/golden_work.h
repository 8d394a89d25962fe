// How much of golden's work is done: on a model of real size golden takes minutes, and people want to know how many.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "harness/base/interrupt.h"
#include "harness/base/options.h"

namespace tritcheck {

/// Thrown out of golden at the end of a layer, if the run was interrupted.
struct GoldenInterrupted {};

class GoldenWork {
 public:
  explicit GoldenWork(const Progress& progress) : progress_(progress) {}

  /// Unpacking the weights once costs about as much as multiplying them by eight tokens.
  static double cost(int64_t passes, int64_t tokens) { return static_cast<double>(8 * passes + tokens); }

  /// Announces work: so many passes through the model, with so many tokens in all of them.
  void expect(int64_t passes, int64_t tokens) { total_ += cost(passes, tokens); }
  /// What was announced turned out to be more, or less: from now on so much is left.
  void left(double cost) { total_ = done_ + cost; }
  double done() const { return done_; }

  /// For GoldenOptions::layer_done of a model of so many layers. Throws GoldenInterrupted.
  std::function<void(int64_t)> layer_done(size_t layers) {
    return [this, share = 1.0 / static_cast<double>(layers)](int64_t tokens) {
      done_ += cost(1, tokens) * share;
      total_ = std::max(total_, done_);
      if (progress_.work) progress_.work(done_, total_);
      if (g_interrupted) throw GoldenInterrupted();
    };
  }

 private:
  const Progress& progress_;
  double done_ = 0;
  double total_ = 0;
};

}  // namespace tritcheck
