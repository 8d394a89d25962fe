// What a run is asked to do, and how it tells where it is. The command line makes the options.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/kernel.h"

namespace tritcheck {

struct KernelReport;

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

/// Called when a kernel is done, and about ten times a second meanwhile (then with an unfinished report and null
/// kernel).
struct Progress {
  std::function<void(int64_t done, int64_t total, const std::string& now)> tick;
  std::function<void(const KernelReport&)> kernel_done;
  /// Work done of all there is, in a unit of its own: for an estimate of the time left.
  std::function<void(double done, double total)> work;
};

}  // namespace tritcheck
