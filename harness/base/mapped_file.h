// A file's bytes, mapped read-only.
//
//   MappedFile file("model.gguf");
//   gguf::File view = gguf::parse(file.bytes());   // the view points into the mapping: keep `file` alive
#pragma once

#include <time.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace tritcheck {

class MappedFile {
 public:
  /// Throws UserError(kExitBadFile) with one line for a file that is missing, unreadable, empty or not a regular file.
  /// The file must not be shortened by somebody else while it is mapped: the system answers that with SIGBUS.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept
      : path_(std::move(other.path_)),
        bytes_(std::exchange(other.bytes_, std::span<const uint8_t>())),
        fd_(std::exchange(other.fd_, -1)),
        modified_(other.modified_) {}
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  MappedFile& operator=(MappedFile&&) = delete;

  std::span<const uint8_t> bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

  /// Throws UserError(kExitBadFile) if somebody wrote to the file since it was mapped: what was read then may be half
  /// old and half new. A file that was replaced by another one of its name is unharmed here.
  void check_unchanged() const;

 private:
  std::string path_;
  std::span<const uint8_t> bytes_;
  int fd_ = -1;  // kept open to ask for the state of this very file
  timespec modified_{};
};

}  // namespace tritcheck
