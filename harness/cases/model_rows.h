// The rows of a model file as cases: its I2_S tensors, its tensors in formats of blocks, or both.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/run_report.h"
#include "harness/cases/real.h"
#include "harness/cases/real_blocks.h"

namespace tritcheck {

class ModelRows {
 public:
  /// Throws UserError: kExitBadFile for a file that cannot be read or holds neither, kExitUsage for a layout where
  /// there is no I2_S tensor.
  ModelRows(const std::string& path, std::optional<Layout> layout);

  /// The layout in which its I2_S tensors are taken; nothing without any.
  std::optional<Layout> layout() const;
  /// Why that kernel has nothing to do with the file, its layout aside; empty if it has.
  std::string why_not(const KernelInfo& kernel) const;
  /// Cases that put every row of every tensor of the kernel's format through it.
  std::vector<Case> cases(const KernelInfo& kernel, Level level, uint64_t seed) const;
  /// The problem of such a case. Throws std::invalid_argument for one that is not of this file.
  Problem problem(const Case& c) const;
  /// With the cases of a finished run.
  ModelReport report(const Report& run) const;
  void check_unchanged() const { file_->check_unchanged(); }

 private:
  std::shared_ptr<const GgufFile> file_;
  RealBlocks blocks_;
  std::unique_ptr<RealModel> i2_s_;
};

/// For a replay: a case on real weights (`hash` is not empty) needs the file, else UserError(kExitUsage); any other
/// does not look at it.
void settle_model(const std::string& hash, VerifyOptions& options);

}  // namespace tritcheck
