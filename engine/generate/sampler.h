// From logits to the next token, the same one on every machine.
//
//   Sampler greedy({});                                       // the most likely token, always
//   Sampler sampler({.temperature = 0.8, .top_k = 40, .top_p = 0.95, .seed = 7});
//   int32_t id = sampler.sample(logits);
//
// In this order: the top_k most likely tokens; softmax of logit / temperature over them; of these the fewest, most
// likely first, whose probabilities reach top_p; one of them by chance. Of equal logits the lowest id counts as more
// likely, everywhere. Equal logits and an equal seed give equal tokens: the random numbers, the exponential function
// and the order of the sums are our own.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "reference/prng.h"

namespace tritcheck::engine {

/// Logits from which no token can be taken. what() is one line that names the token.
class SampleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SamplerOptions {
  double temperature = 0;  ///< from 0; 0 is the most likely token, whatever the rest
  int64_t top_k = 0;       ///< from 0; 0: all tokens
  double top_p = 1;        ///< above 0, up to 1; the most likely token is always kept
  uint64_t seed = 1;
};

/// A token that may be drawn.
struct Candidate {
  int32_t id = 0;
  double probability = 0;  ///< above 0; of all candidates together 1
};

class Sampler {
 public:
  /// Throws std::invalid_argument for options out of range.
  explicit Sampler(const SamplerOptions& options);

  /// One token id, 0 to logits.size() - 1. Minus infinity is a token that never comes. Throws SampleError if a logit is
  /// NaN or plus infinity, or none is finite. Takes one random number, or none at temperature 0.
  int32_t sample(std::span<const double> logits);

  /// What sample() draws from, the most likely first. Throws as sample().
  std::vector<Candidate> candidates(std::span<const double> logits) const;

 private:
  SamplerOptions options_;
  Prng random_;
};

/// e^x for x <= 0 within 2 units in the last place, made of additions and multiplications, so that every machine gets
/// the same bits; those of the C libraries do not agree. 0 below -745.
double portable_exp(double x);

}  // namespace tritcheck::engine
