// All cases of one function of a library on one worker.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "harness/foreign/judge.h"
#include "harness/foreign/probes.h"
#include "harness/foreign/real_blocks.h"

namespace tritcheck::foreign {

/// Prepared cases, shared by all functions of a format: twins, variants and targets get the same questions.
class Preparations {
 public:
  /// Where cases of the probe `real` get their rows; none of these is kept, since there is one for every row.
  void use(const RealBlocks* model) { model_ = model; }
  /// Throws std::invalid_argument for a case that has no problem.
  std::shared_ptr<const Prepared> get(const Case& c);

 private:
  const RealBlocks* model_ = nullptr;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Prepared>> known_;
};

/// The function under test and how to ask it.
struct Suspect {
  Executor& executor;
  uint32_t kernel = 0;
  KernelInfo function;
  bool guarded = true;
  int timeout_ms = 2000;
  std::optional<uint32_t> reader = {};  ///< the library's to_float of the function's format
};

/// Which function of a library is its to_float of that format; nothing if none can be called.
std::optional<uint32_t> reader_of(const WorkerInfo& library, const std::string& format);

/// The prepared form of a case for a suspect: by the oracles, or for a format without one by relations.
using Prepare = std::function<std::shared_ptr<const Prepared>(const Case&)>;

/// Cases to put instead of the families, under a name of their own ("case", "real"); no name: the families.
struct CaseList {
  std::string_view family = {};
  std::span<const Case> cases = {};
};

/// Runs the families (or only the given cases) and fills cases, families, verdict, skipped_cases and failure, diagnosed
/// and shrunk unless options.diagnose is off. Stops early as run_kernel() of harness/kernel_run.h does.
void run_function(const Suspect& suspect, const CaseList& only, const VerifyOptions& options,
                  Preparations& preparations, const std::function<std::string(const Case&)>& repro,
                  KernelReport& report);

}  // namespace tritcheck::foreign
