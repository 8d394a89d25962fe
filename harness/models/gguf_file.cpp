#include "harness/models/gguf_file.h"

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/models/inspect_facts.h"

namespace tritcheck {

GgufFile::GgufFile(const std::string& path) : mapped_(path) {
  try {
    view_ = gguf::parse(mapped_.bytes());
  } catch (const gguf::Error& e) {
    throw UserError(kExitBadFile, path + ": " + e.what());
  }
}

const std::string& GgufFile::hash() const {
  if (hash_.empty()) hash_ = file_hash(view_).substr(0, 16);
  if (hash_.empty()) {
    throw UserError(kExitBadFile,
                    fmt::format("{}: {} bytes follow the last tensor; the file is damaged, or no GGUF writer made it",
                                path(), trailing_bytes(view_)));
  }
  return hash_;
}

}  // namespace tritcheck
