// `tritcheck repack IN OUT`: the same weights in another I2_S layout.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "reference/i2_s.h"

namespace tritcheck {

struct RepackOptions {
  std::string in;
  std::string out;
  std::optional<i2_s::Layout> from;  ///< the file does not say it: without it, UserError(kExitUsage)
  i2_s::Layout to = i2_s::Layout::x86_128;
  bool overwrite = false;  ///< replace `out` if it exists, or is `in`
  bool dry_run = false;    ///< all checks, no file
};

struct RepackResult {
  int64_t tensors = 0;                 ///< I2_S tensors
  uint64_t code_bytes = 0;             ///< of their codes: all that differs from `in`
  uint64_t file_bytes = 0;             ///< of `out`
  std::optional<uint64_t> free_bytes;  ///< where `out` goes, before it was written; nothing if not known
  std::string sha256;                  ///< of `out`; empty after a dry run
};

/// Called about every megabyte: what is being done, and how many bytes of `out` are written.
using RepackProgress = std::function<void(std::string_view step, uint64_t done, uint64_t total)>;

/// Writes `out`, which has all bytes of `in` but the codes of I2_S tensors: these are moved from layout to layout, code
/// 3 included. `out` appears complete or not at all, also if the program is interrupted (g_interrupted:
/// UserError(kExitInterrupted)). Throws UserError, one line: kExitUsage if `out` may not be written or the layouts make
/// no sense, kExitBadFile for a file that is malformed, has no I2_S tensor or one that a layout cannot hold, was
/// written to meanwhile, or cannot be written.
RepackResult repack(const RepackOptions& options, const RepackProgress& progress = {});

/// What was done, or would be, for a person: two lines. The second one names the command to run next, or, after a dry
/// run, the room there is. `program` is how to call this program.
std::string repack_text(const RepackOptions& options, const RepackResult& result, const std::string& program);

}  // namespace tritcheck
