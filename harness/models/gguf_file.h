// A GGUF file that cases are made from: mapped, parsed and hashed once for all that read it.
#pragma once

#include <string>

#include "harness/base/mapped_file.h"
#include "reference/gguf.h"

namespace tritcheck {

class GgufFile {
 public:
  /// Throws UserError(kExitBadFile) with one line that begins with the path.
  explicit GgufFile(const std::string& path);
  GgufFile(const GgufFile&) = delete;
  GgufFile& operator=(const GgufFile&) = delete;

  const std::string& path() const { return mapped_.path(); }
  const gguf::File& view() const { return view_; }
  /// The first 16 hex digits of its SHA-256, by which cases name it; reads all of the file the first time. Throws
  /// UserError(kExitBadFile) if much follows the last tensor: what has no meaning would be part of the name. Not for
  /// several threads at once.
  const std::string& hash() const;
  /// As MappedFile::check_unchanged().
  void check_unchanged() const { mapped_.check_unchanged(); }

 private:
  MappedFile mapped_;
  gguf::File view_;
  mutable std::string hash_;
};

}  // namespace tritcheck
