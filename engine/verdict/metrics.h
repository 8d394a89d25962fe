// Numbers that compare a candidate engine with the golden one on the same weights, and numbers about a text alone.
//
//   LogitMetrics m;
//   for each position: m.add(golden_logits, candidate_logits);
//   m.kld(), m.agreement(), ...
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/engine.h"

namespace tritcheck::engine {

/// Golden is sure of a token if its next best logit is at least this far behind. Argmax flips below are no evidence: a
/// right engine that only rounds elsewhere has them too.
inline constexpr double kSureMargin = 0.1;

/// Teacher-forced: both engines saw the same tokens before each position.
class LogitMetrics {
 public:
  /// One position: vocab logits each. NaN or infinity in the candidate's is counted, and the position enters nothing
  /// else but the agreement, as a miss.
  void add(std::span<const double> golden, std::span<const double> candidate);
  /// Takes in what another one gathered.
  void add(const LogitMetrics& other);

  int64_t positions() const { return positions_; }
  int64_t sure() const { return sure_; }          ///< positions where golden was
  int64_t flips() const { return flips_; }        ///< where it was not, and the candidate took another token
  int64_t not_finite() const { return broken_; }  ///< positions with NaN or infinity in the candidate's logits
  double agreement() const;                       ///< share of the sure positions with the same token; 1 if none
  double top1() const;                            ///< share of all positions with the same token
  double kld() const;                             ///< mean over positions of sum p log(p / p'), in nats
  double kld_max() const { return kld_max_; }
  double nmse() const;           ///< sum (golden - candidate)^2 / sum golden^2 over all logits
  double entropy_shift() const;  ///< mean over positions of the entropy's |candidate - golden|, in nats
  double entropy_golden() const;

 private:
  int64_t finite() const { return positions_ - broken_; }

  int64_t positions_ = 0;
  int64_t sure_ = 0;
  int64_t sure_same_ = 0;
  int64_t same_ = 0;
  int64_t flips_ = 0;
  int64_t broken_ = 0;
  double kld_sum_ = 0;
  double kld_max_ = 0;
  double error_ = 0;
  double energy_ = 0;
  double entropy_sum_ = 0;
  double shift_sum_ = 0;
};

/// The largest logit's token; of equals the first.
int32_t argmax(std::span<const double> logits);

/// -log p(token) under these logits, in nats.
double nll(std::span<const double> logits, int32_t token);

/// Nats that an engine gives the tokens from index `first` (1 or more) on, each after those before it. Begins a new
/// sequence.
double nll(Engine& engine, std::span<const int32_t> ids, int64_t first = 1);

/// 1 - distinct n-grams / n-grams, of tokens; 0 for fewer than n of them. (seq-rep-n of the unlikelihood training
/// papers.)
double rep_n(std::span<const int32_t> ids, size_t n);

/// Share of the tokens that the tail covers which is at least three copies of one cycle; 0 if there is none.
/// "a b c x x x x" has a tail of four x: 4 / 7.
double tail_period(std::span<const int32_t> ids);

/// Bytes of the text over bytes of its zlib stream; only for texts of at least kLeastCompressed bytes, below which the
/// header outweighs everything: those give 0.
double compression(std::string_view text);
inline constexpr size_t kLeastCompressed = 200;

}  // namespace tritcheck::engine
