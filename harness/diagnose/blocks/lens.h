// What a function of a library makes of single activations: its linear map, which shows every mistake that does not
// depend on magnitudes.
#pragma once

#include <optional>
#include <vector>

#include "harness/cases/formats.h"
#include "harness/diagnose/common/suspect.h"

namespace tritcheck::block_steps {

/// A row of weights and the scale of every block of activations.
struct LensRow {
  std::vector<ggml::Fields> blocks;
  std::vector<float> act_scales;
};

class Lens {
 public:
  Lens(const Suspect& suspect, int64_t k);

  ggml::Type type() const { return type_; }
  const ggml::Traits& traits() const { return ggml::traits(type_); }
  int64_t k() const { return k_; }
  size_t elements() const { return elements_; }          ///< of a block of weights
  size_t act_elements() const { return act_elements_; }  ///< of a block of activations; 0 for a to_float

  /// Everything 1: d, scales of sub-blocks (as near as the type has it), activation scales; minima 0; codes 0.
  LensRow neutral() const;
  /// What a right function answers to a 1 at activation e alone, for each e: the value of weight e times the scale.
  std::vector<double> right(const LensRow& row) const;
  /// What this one answers; nothing if a call did not return. Of a long row only some columns are asked, those at both
  /// ends and a sample between; the others are taken to be right.
  std::optional<std::vector<double>> seen(const LensRow& row) const;
  bool asks(size_t column) const;
  /// Whether the answer is right when all activations are 1; nothing if the call did not return.
  std::optional<bool> right_when_dense(const LensRow& row) const;

 private:
  Problem problem(const LensRow& row) const;
  std::vector<uint8_t> acts(const LensRow& row, const std::vector<int8_t>& q) const;

  const Suspect& suspect_;
  ggml::Type type_;
  int64_t k_;
  size_t elements_;
  size_t act_elements_;
};

}  // namespace tritcheck::block_steps
