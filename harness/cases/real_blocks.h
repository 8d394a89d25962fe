// Cases on the real blocks of a model file: every row of every tensor whose format has an oracle.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/base/options.h"
#include "harness/base/run_report.h"
#include "harness/cases/problem.h"
#include "harness/models/gguf_file.h"

namespace tritcheck {

class RealBlocks {
 public:
  /// The tensors in formats of blocks of a file, whatever else it holds. Throws UserError(kExitBadFile) for a file that
  /// cannot be read or named.
  explicit RealBlocks(std::shared_ptr<const GgufFile> file);
  explicit RealBlocks(const std::string& path) : RealBlocks(std::make_shared<GgufFile>(path)) {}
  ~RealBlocks();

  /// Whether there is a tensor that any function could be asked about.
  bool any() const;
  /// Whether there are I2_S tensors, which harness/cases/real.h is for.
  bool has_i2_s() const;
  /// Why that function has nothing to do with the file ("the file has no q4_K tensor"); empty if it has.
  std::string why_not(const KernelInfo& function) const;
  /// Cases that put every row of every tensor of the function's format through it; for a dot product with ordinary,
  /// non-negative and extreme activations in turn (all three for every row at Level::thorough).
  std::vector<Case> cases(const KernelInfo& function, Level level, uint64_t seed) const;
  /// The problem of such a case. Throws std::invalid_argument if it names another file, a tensor, format or row that is
  /// not there, or a K that is not the tensor's.
  Problem problem(const Case& c) const;
  ModelReport report() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tritcheck
