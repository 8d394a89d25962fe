// A file that appears complete or not at all: written under a temporary name beside its own, renamed when it is done.
//
//   check_destination(path, overwrite, bytes);   // what can be known before a long run
//   NewFile file(path, overwrite);
//   file.write(part);                            // as often as needed
//   file.commit();                               // without it, the destructor removes the temporary
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tritcheck {

/// One at a time. Every member throws UserError, one line that begins with the path.
class NewFile {
 public:
  /// Creates the temporary in the folder of `path`. It gets the permissions of a file it is to replace, else those that
  /// the umask leaves.
  NewFile(std::string path, bool overwrite);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::span<const uint8_t> bytes);
  /// Waits until all of it is on the disk.
  void sync();
  /// Of what was written, read back.
  std::string sha256_hex() const;
  /// Gives the file its name, in one step. Without `overwrite`, a file that got the name meanwhile is left alone and an
  /// error; with it, the name is replaced: a link is, not what it points to.
  void commit();

 private:
  std::string path_;
  std::string temporary_;
  bool overwrite_ = false;
  int fd_ = -1;
  uint64_t size_ = 0;
};

/// Throws UserError if no file of that size can be made there: the name is taken (kExitUsage; by anything but a regular
/// file or a link: even if `overwrite`), the folder is missing or closed, or has too little room (kExitBadFile).
/// Returns the free bytes if the file system tells.
std::optional<uint64_t> check_destination(const std::string& path, bool overwrite, uint64_t bytes);

/// Throws UserError(kExitUsage) if a file that is to be written is the model that is read. `option` named it.
void refuse_model(const std::string& option, const std::string& path, const std::string& model);

/// Removes the temporary of the NewFile there is, if any. For signal handlers that end the program.
void remove_unfinished_file() noexcept;

}  // namespace tritcheck
