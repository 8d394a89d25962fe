// Cases on the real weights of a model file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/options.h"
#include "harness/base/run_report.h"
#include "harness/cases/case.h"
#include "harness/cases/problem.h"
#include "harness/models/gguf_file.h"

namespace tritcheck {

class RealModel {
 public:
  /// The I2_S tensors of a file. `layout` is what the caller declares; without it, x86_128 is assumed, since nothing in
  /// the file tells. Throws UserError(kExitBadFile), also if there are none.
  RealModel(std::shared_ptr<const GgufFile> file, std::optional<Layout> layout);
  ~RealModel();

  Layout layout() const;
  /// Cases that put every row of every I2_S tensor through a kernel of this contract, against random, non-negative and
  /// extreme activations in turn.
  std::vector<Case> cases(const Contract& contract, Level level, uint64_t seed) const;
  /// The problem of such a case. Throws std::invalid_argument if the case names another file, a tensor or row that is
  /// not there, or a shape its layout cannot have.
  Problem problem(const Case& c) const;
  ModelReport report() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tritcheck
