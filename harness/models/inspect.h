// `tritcheck inspect FILE.gguf`: what a model file holds and what is odd about it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tritcheck {

struct InspectOptions {
  bool verbose = false;  ///< whole arrays and strings; otherwise the first elements and characters
};

/// Container, metadata, tensors, dialect with its reasons, code histogram and scale of each I2_S tensor, findings.
/// Throws UserError(kExitBadFile), one line, if the file cannot be read or is malformed.
std::string inspect_text(const std::string& path, const InspectOptions& options = {});

/// The same as one JSON object: {"schema": 1, "path", "bytes", "sha256", "container", "metadata", "tensors", "dialect",
/// "i2_s", "findings"}. Text that is not UTF-8 gets replacement characters; numbers that JSON lacks become null.
std::string inspect_json(const std::string& path, const InspectOptions& options = {});

/// For bytes already in memory; `path` is only printed.
std::string inspect_text(const std::string& path, std::span<const uint8_t> bytes, const InspectOptions& options);
std::string inspect_json(const std::string& path, std::span<const uint8_t> bytes, const InspectOptions& options);

}  // namespace tritcheck
