// Which kernel runs the I2_S layers of the fast engine.
//
//   Plan plan = plan_kernels("auto", model.layout, detect(), isa_from_environment(), registry);
//   plan.text();   // "one token i2_s_x86_128_gemv_avx2, several i2_s_x86_128_acts_avx2"
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/dispatch.h"

namespace tritcheck::engine {

/// What a user asked for cannot be had: what() is one line that begins with --kernels.
class PlanError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A kernel for one token at a time (decoding), and one for several (a prompt). Any operation does for either: a dot is
/// called for each result, a gemv for each token.
struct Plan {
  const Kernel* one = nullptr;
  const Kernel* several = nullptr;
  /// Layers that run another kernel: those whose tensor's name contains the text. The first that matches counts.
  std::vector<std::pair<std::string, const Kernel*>> layers;

  const Kernel& kernel(std::string_view tensor, int64_t tokens) const;
  std::string text() const;
  /// Throws PlanError if a TENSOR=NAME stands for none of these tensors, or for a tensor that another one stands for.
  void require_layers(std::span<const std::string_view> tensors) const;
};

/// Reads what a user asked for:
///   auto          the strongest kernels this CPU has and `allow` permits
///   scalar, avx2, ...     those of one instruction set; there is no fallback to another
///   NAME          this kernel for both, if it is not one of the words above
///   op=NAME,...   these kernels where they fit (gemv, rows: one token; acts: several; dot: both), auto elsewhere
///   TENSOR=NAME   this kernel for the layers whose tensor's name has TENSOR as whole parts, such as blk.2.ffn_down
/// `registry` may hold broken kernels besides the usual ones. Throws PlanError for an unknown
/// word or name, a kernel that cannot run here, one for another operation than was said, or an instruction set that has
/// no kernel for the layout. A kernel of another layout is taken as it is: that is how a wrong one is tried.
Plan plan_kernels(std::string_view text, i2_s::Layout layout, const Features& features, const IsaList& allow,
                  std::span<const Kernel> registry);

}  // namespace tritcheck::engine
