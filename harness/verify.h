// A verification run: which kernels on which targets under which probes, and what came of it. The command line makes
// the options, the reports print the result; everything between is verify().
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/executor.h"

namespace tritcheck {

enum class Level : uint8_t { quick, standard, thorough };

struct VerifyOptions {
  std::vector<std::string> filters;  ///< substrings or globs of kernel names; empty: all
  std::vector<std::string> kernels;  ///< exact names of kernels or museum kernels; empty: all
  std::vector<std::string> devices = {"local"};
  std::string model;              ///< GGUF path; empty: synthetic probes
  std::vector<std::string> libs;  ///< libraries, or folders of them, to verify instead of tritcheck's kernels
  std::optional<Layout> layout;   ///< declared layout of the model file, or of the data a forced kernel is given
  bool compare = false;           ///< of two libraries: only what the second does worse than the first counts
  std::string baseline;           ///< file of known defects of the libraries; those are reported and not counted
  Level level = Level::standard;
  uint64_t seed = 1;
  int jobs = 0;  ///< 0: as many as there are cores
  bool fail_fast = false;
  int timeout_ms = 2000;          ///< CPU time one call may take
  bool force = false;             ///< run kernels although the CPU lacks their ISA, or their layout is not the data's
  std::vector<std::string> isa;   ///< allow-list; scalar always stays; empty: all
  std::vector<std::string> bugs;  ///< museum kernels to verify instead ("all", names, globs)
  std::vector<std::string> families;          ///< only these probe families; empty: all
  std::vector<std::string> without_families;  ///< not these
  bool diagnose = true;
  std::string program = "tritcheck";  ///< how a repro line calls this program
};

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
  std::string repro;  ///< one command line
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

/// Exit codes of the program, documented in README.md.
enum ExitCode : int {
  kExitPass = 0,
  kExitWrong = 1,
  kExitCrash = 2,  ///< a kernel crashed or hung
  kExitNothingRan = 3,
  kExitUsage = 4,
  kExitBadFile = 5,
  kExitNoDevice = 6,
  kExitInternal = 7,  ///< the harness itself failed: please report it
  kExitInterrupted = 130,
};

/// The exit code a finished report deserves.
int exit_code(const Report& report);

/// Bad usage, a bad file or a missing device, with the exit code it deserves. what() is one line that says what to do.
class UserError : public std::runtime_error {
 public:
  UserError(ExitCode code, const std::string& what) : std::runtime_error(what), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// Called when a kernel is done, and about ten times a second meanwhile (then with an unfinished report and null
/// kernel).
struct Progress {
  std::function<void(int64_t done, int64_t total, const std::string& now)> tick;
  std::function<void(const KernelReport&)> kernel_done;
  /// Work done of all there is, in a unit of its own: for an estimate of the time left.
  std::function<void(double done, double total)> work;
};

/// Set by a signal handler: verify() stops at the next case, kills its workers and returns what it has.
extern std::atomic<bool> g_interrupted;

/// Runs. Throws UserError.
Report verify(const VerifyOptions& options, const Progress& progress = {});

/// Runs one case on one kernel (name or empty for every kernel of its op and layout).
Report replay(const std::string& case_text, const VerifyOptions& options, const Progress& progress = {});

}  // namespace tritcheck
