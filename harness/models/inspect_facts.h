// Internal to `inspect`: what its text and its JSON form both say.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/gguf.h"

namespace tritcheck {

inline constexpr std::string_view kLayoutNote =
    "The layout of i2_s codes is not in the file: all layouts have the same size. Published files are x86_128.";

struct I2sFacts {
  gguf::I2sSlice slice;
  std::string label;  ///< tensor name; in 3D tensors with a scale per slice "name[2]"
  std::array<uint64_t, 4> codes{};
  std::optional<std::string_view> problem;  ///< of the scale
  std::vector<std::string_view> layouts;    ///< those the shape allows
};
std::vector<I2sFacts> i2_s_facts(const gguf::File& file);

/// The reader's findings and those that need the payload: code 3.
std::vector<gguf::Finding> all_findings(const gguf::File& file, const std::vector<I2sFacts>& i2_s);

/// gguf::parse, with Error turned into UserError(kExitBadFile) "PATH: ...".
gguf::File parse_model(const std::string& path, std::span<const uint8_t> bytes);

/// Bytes behind the end of the last tensor.
uint64_t trailing_bytes(const gguf::File& file);

/// SHA-256 of the whole file; empty if more than 1 MiB follows the last tensor: bytes that belong to nothing, and in a
/// sparse file so many that hashing them would take hours.
std::string file_hash(const gguf::File& file);

}  // namespace tritcheck
