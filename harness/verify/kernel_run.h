// All cases of one kernel on one worker: prepared, put to it in batches until there is no more to be learned, judged;
// and what failed, named and shrunk.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "harness/base/options.h"
#include "harness/cases/model_rows.h"
#include "harness/diagnose/diagnose.h"

namespace tritcheck {

/// Prepared cases, shared by all kernels of a run: instruction sets, targets, variants and broken twins get the same
/// questions, and the oracles, made to be obvious and not fast, are asked once for each. Any number of threads.
class Preparations {
 public:
  /// Where cases of the probe `real` get their rows; none of these is kept, since there is one for every row.
  void use(const ModelRows* model) { model_ = model; }
  /// Throws std::invalid_argument for a case that has no problem, or none under that contract.
  std::shared_ptr<const Prepared> get(const Case& c, const Contract& contract);

 private:
  std::shared_ptr<const Prepared> make(const Case& c, const Contract& contract, const Expectation* known) const;

  // Long rows are made again: only their answers are kept.
  struct Kept {
    std::shared_ptr<const Prepared> whole;
    Expectation answers;
  };
  const ModelRows* model_ = nullptr;
  std::mutex mutex_;
  std::map<std::string, Kept> known_;
};

/// Cases of one family.
struct CaseSet {
  std::string family;
  std::vector<Case> cases;
};

/// Runs the sets in order and fills cases, families, verdict, skipped_cases and failure (diagnosed and shrunk unless
/// options.diagnose is off). `repro` makes the command line for a case. Stops early when interrupted, after a hang,
/// after three crashes, and in a family that has failed often enough.
void run_kernel(const Suspect& suspect, const std::vector<CaseSet>& sets, const VerifyOptions& options,
                Preparations& preparations, const std::function<std::string(const Case&)>& repro, KernelReport& report);

/// Which function of a library is its to_float of that format; nothing if none can be called.
std::optional<uint32_t> reader_of(const WorkerInfo& library, const std::string& format);

}  // namespace tritcheck
