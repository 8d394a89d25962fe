#include "harness/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "harness/base/error.h"

namespace tritcheck {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& problem) {
  throw UserError(kExitBadFile, path + ": " + problem);
}

[[noreturn]] void fail_errno(const std::string& path, const char* verb) {
  const int error = errno;
  const char* hint = error == ENOENT ? "; check the path" : error == EACCES ? "; check its permissions" : "";
  fail(path, std::string("cannot ") + verb + " it: " + std::strerror(error) + hint);
}

}  // namespace

MappedFile::MappedFile(const std::string& path) : path_(path) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd_ < 0) fail_errno(path, "open");
  struct stat info {};
  try {
    if (::fstat(fd_, &info) != 0) fail_errno(path, "examine");
    if (S_ISDIR(info.st_mode)) fail(path, "is a directory; name a file in it");
    if (!S_ISREG(info.st_mode)) fail(path, "is not a regular file; copy its content to one");
    if (info.st_size == 0) fail(path, "is empty (0 bytes); was the download or copy cut off?");
    const auto size = static_cast<size_t>(info.st_size);
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd_, 0);
    if (address == MAP_FAILED) fail_errno(path, "map");
    bytes_ = {static_cast<const uint8_t*>(address), size};
  } catch (...) {
    ::close(fd_);
    throw;
  }
  modified_ = info.st_mtim;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
  if (fd_ >= 0) ::close(fd_);
}

void MappedFile::check_unchanged() const {
  struct stat now {};
  if (::fstat(fd_, &now) != 0) fail_errno(path_, "examine");
  if (now.st_mtim.tv_sec != modified_.tv_sec || now.st_mtim.tv_nsec != modified_.tv_nsec ||
      static_cast<size_t>(now.st_size) != bytes_.size()) {
    fail(path_, "was written to while it was being read; run again when it is complete");
  }
}

}  // namespace tritcheck
