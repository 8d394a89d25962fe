// What came of a run: made by the pipeline, printed by the reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/options.h"
#include "harness/protocol/executor.h"

namespace tritcheck {

enum class Verdict : uint8_t {
  pass,
  mismatch,    ///< a wrong number
  unwritten,   ///< an output element was never written
  over_read,   ///< touched memory behind or before an input
  over_write,  ///< touched memory behind or before the output, or wrote to an input
  crash,       ///< died of a signal for another reason
  timeout,
  clobbered,         ///< did not keep a register or a floating-point mode that belongs to the caller
  nondeterministic,  ///< depends on what registers, stack or output held before
  skipped,           ///< did not run; `reason` says why
};

struct Failure {
  std::string diagnosis;              ///< one name of `tritcheck explain`, or "unknown"
  std::string sentence;               ///< what is wrong, for a person
  std::vector<std::string> evidence;  ///< what was measured, a line each
  std::string case_text;              ///< the smallest failing case
  std::string family;                 ///< probe family that failed first, e.g. "F2"
  std::vector<std::string> expected;  ///< outputs as text, side by side with got; "-" where not applicable
  std::vector<std::string> got;
  std::vector<int64_t> outputs = {};  ///< which results these are; empty: from 0 on
  std::string repro;                  ///< one command line
};

struct FamilyCount {
  std::string family;  ///< "F1" ... "F11", "random", "real"
  int64_t cases = 0;
  int64_t failed = 0;
};

struct KernelReport {
  KernelInfo kernel;
  std::string target;  ///< as given: "local", "qemu:cortex-a53"
  Verdict verdict = Verdict::skipped;
  std::string reason;         ///< skipped only
  bool known_defect = false;  ///< failed as the baseline says it does
  int64_t cases = 0;
  int64_t first_failed = 0;  ///< number of the first case that failed, counted from 1; 0: none
  double seconds = 0;        ///< wall time of this kernel on this target
  std::vector<FamilyCount> families;
  std::optional<Failure> failure;
  /// Cases that could not be made for this kernel, by reason ("K = 192 is not a multiple of 128").
  std::vector<std::pair<std::string, int64_t>> skipped_cases;
};

struct TargetReport {
  std::string target;
  WorkerInfo worker;
  bool emulated = false;
};

/// What the model file looked like, when there was one.
struct ModelReport {
  std::string path;
  std::string hash;  ///< first 16 hex digits of SHA-256
  Layout layout = Layout::x86_128;
  bool layout_given = false;  ///< else assumed
  int64_t tensors = 0;
  int64_t rows = 0;
  int64_t cases = 0;
  bool i2_s = false;                      ///< has I2_S tensors, which the layout is for
  std::vector<std::string> formats = {};  ///< of the other tensors that have an oracle, as ggml names them
};

struct Report {
  uint64_t seed = 0;
  Level level = Level::standard;
  std::vector<TargetReport> targets;
  std::vector<KernelReport> kernels;  ///< one per kernel and target, skips included
  std::optional<ModelReport> model;
  bool interrupted = false;
  bool libraries = false;            ///< over libraries instead of tritcheck's kernels
  bool bad_file = false;             ///< a library that was named cannot be loaded
  std::vector<std::string> changes;  ///< between two libraries that were compared
  std::vector<std::string>
      unseen_defects;  ///< entries of the baseline that did not occur although they were looked for
  double seconds = 0;
  double cpu_seconds = 0;  ///< of the harness and its workers
};

/// The exit code a finished report deserves.
int exit_code(const Report& report);

}  // namespace tritcheck
