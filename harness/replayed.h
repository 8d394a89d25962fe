// The one case of a replay: of I2_S, or of a function of blocks; and which kernels it is meant for.
#pragma once

#include <optional>
#include <string>

#include "harness/case.h"
#include "harness/foreign/case.h"

namespace tritcheck {

struct Replayed {
  std::optional<Case> i2_s;  ///< one of the two
  std::optional<foreign::Case> blocks;

  uint64_t seed() const { return blocks ? blocks->seed : i2_s->seed; }
  /// Whether that kernel computes what the case asks for, on data that it reads.
  bool meant_for(const KernelInfo& k) const;
  /// Throws UserError if it does not, since a case put to a kernel it was not made for would accuse a right one. With
  /// `force` the layout may be another.
  void check_fits(const KernelInfo& k, bool force) const;
  /// Why a kernel that it is meant for has not promised an answer; empty if it has.
  std::string beyond_contract(const KernelInfo& k) const;
  /// "tq2_0.vec_dot", "i2_s.dot".
  std::string question() const;
};

/// Reads either kind. Throws UserError(kExitUsage) for a text that is none.
Replayed parse_replayed(const std::string& case_text);

}  // namespace tritcheck
