// The model file of a run: its I2_S tensors, its tensors in formats of blocks, or both.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/foreign/real_blocks.h"
#include "harness/real.h"

namespace tritcheck {

class ModelFile {
 public:
  /// Throws UserError: kExitBadFile for a file that cannot be read or holds neither, kExitUsage for a layout where
  /// there is no I2_S tensor.
  ModelFile(const std::string& path, std::optional<Layout> layout);

  /// Null without I2_S tensors.
  const RealModel* i2_s() const { return i2_s_.get(); }
  const foreign::RealBlocks& blocks() const { return blocks_; }
  /// Why that kernel has nothing to do with the file, its layout aside; empty if it has.
  std::string why_not(const KernelInfo& kernel) const;
  /// With the cases of a finished run.
  ModelReport report(const Report& run) const;
  void check_unchanged() const { file_->check_unchanged(); }

 private:
  std::shared_ptr<const GgufFile> file_;
  foreign::RealBlocks blocks_;
  std::unique_ptr<RealModel> i2_s_;
};

}  // namespace tritcheck
