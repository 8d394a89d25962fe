#include "harness/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "harness/verify.h"

namespace tritcheck {
namespace {

class Descriptor {
 public:
  // O_NONBLOCK: opening a FIFO must not wait for a writer
  explicit Descriptor(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

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
  const Descriptor file(path);
  if (file.get() < 0) fail_errno(path, "open");
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) fail_errno(path, "examine");
  if (S_ISDIR(info.st_mode)) fail(path, "is a directory; name a file in it");
  if (!S_ISREG(info.st_mode)) fail(path, "is not a regular file; copy its content to one");
  if (info.st_size == 0) fail(path, "is empty (0 bytes); was the download or copy cut off?");
  const auto size = static_cast<size_t>(info.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) fail_errno(path, "map");
  bytes_ = {static_cast<const uint8_t*>(address), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
}

}  // namespace tritcheck
