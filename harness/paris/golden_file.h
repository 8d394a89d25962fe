// Golden's texts and logits of one model in a file, so that golden need not run again for the next device, or be run
// where it is fast.
//
//   "TCKGOLD2", key: string, texts: u32, then for each text
//   prompt ids, text ids: u32 count, i32 each; rows, vocabulary: u32; rows x vocabulary float32
//   and behind all, the SHA-256 of what comes before, 64 hex digits
//
// Little-endian. float32 changes a logit by at most 2^-24 of itself: KLD by far less than the bands.
#pragma once

#include <string>

#include "harness/paris/paris.h"

namespace tritcheck {

/// What golden's answers depend on: the file's hash, the layout it is read in, the activations, the most tokens.
std::string golden_key(const std::string& sha256, Layout layout, engine::Act act, int tokens);

/// Where golden's side is kept if nobody names a file: "golden-<hash of the key>" in $XDG_CACHE_HOME/tritcheck, or
/// ~/.cache/tritcheck, which is made. Throws UserError(kExitUsage) if neither variable is set or the folder cannot be
/// made.
std::string cached_golden_file(const std::string& key);

/// Throws UserError(kExitBadFile): a file that is damaged, or that was made with another key (of another model, say),
/// or holds what a model of that vocabulary cannot say in so many tokens.
GoldenMemo read_golden_file(const std::string& path, const std::string& key, int64_t vocab, int tokens);
/// Replaces the file, completely or not at all. Throws UserError(kExitBadFile).
void write_golden_file(const std::string& path, const std::string& key, const GoldenMemo& memo);

}  // namespace tritcheck
