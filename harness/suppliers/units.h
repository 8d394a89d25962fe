// Who supplies the kernels of a run, and where: tritcheck's own registry on each target, or each library or plug-in on
// each target that can load it. Nothing behind this knows which it was.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/base/options.h"
#include "harness/suppliers/infer_i2_s.h"
#include "harness/suppliers/library_file.h"
#include "harness/targets/target.h"

namespace tritcheck {

/// The registry or a library on a target, or a library that no target of the run can load.
struct Unit {
  size_t target = 0;
  size_t library = 0;
  std::string label;    ///< "qemu:max", "libggml-cpu.so on qemu:max", or the library's alone
  WorkerInfo info;      ///< what its first worker said
  I2sContract i2_s;     ///< of its I2_S product, if it has one
  std::string problem;  ///< why nothing of it can run; empty if something may
  bool died = false;    ///< because loading it killed the worker
  bool refused = true;  ///< with a problem: whoever named the file named a bad one
};

class Units {
 public:
  /// Finds targets and libraries. Throws UserError for a device that is not there or a path that leads nowhere.
  explicit Units(const VerifyOptions& options);

  const std::vector<LibraryFile>& libraries() const { return libraries_; }
  std::vector<Unit>& all() { return units_; }
  const Unit& operator[](size_t i) const { return units_[i]; }
  const Target& target_of(const Unit& u) const { return targets_[u.target]; }
  /// Empty for the registry.
  std::string path_of(const Unit& u) const { return libraries_.empty() ? "" : libraries_[u.library].path; }

  /// A worker that has loaded it. Throws StartFailure.
  std::unique_ptr<Executor> open(const Unit& unit) const;
  /// Loads it for the first time: fills info and i2_s, or problem; throws StartFailure for the registry. For several
  /// units at a time.
  void greet(Unit& unit) const;

 private:
  void place(size_t library);

  std::vector<std::string> isa_;
  std::vector<Target> targets_;
  std::vector<LibraryFile> libraries_;
  std::vector<Unit> units_;
};

}  // namespace tritcheck
