#include "harness/base/new_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>

#include "harness/base/error.h"
#include "reference/sha256.h"

namespace tritcheck {
namespace {

// What a signal handler removes: fixed memory, because it may not allocate.
std::array<char, PATH_MAX> g_unfinished{};
std::atomic<bool> g_is_unfinished{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a handler reads it");

[[noreturn]] void fail(const std::string& path, const std::string& problem) {
  throw UserError(kExitBadFile, path + ": " + problem);
}

[[noreturn]] void fail_errno(const std::string& path, const char* verb, int error) {
  const char* hint = error == ENOSPC || error == EDQUOT ? "; free some space, or name a file on another disk"
                     : error == EFBIG ? "; raise the limit (ulimit -f), or name a file on another disk"
                                      : "";
  fail(path, fmt::format("cannot {} it: {}{}", verb, std::strerror(error), hint));
}

[[noreturn]] void fail_taken(const std::string& path) {
  throw UserError(kExitUsage, path + ": there is a file of that name; name another, or give --overwrite");
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

// No signal can come between the creation of a file and the note of its name.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

// The error number, or 0, as below.
int rename_over(const char* from, const char* to) {
  return ::rename(from, to) == 0 ? 0 : errno;
}

// The same, but the name must be free.
int rename_to_free_name(const char* from, const char* to) {
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // a file system without that flag: a hard link never replaces a file either
  if (::link(from, to) != 0) return errno;
  ::unlink(from);
  return 0;
}

void check_name(const std::string& path, bool overwrite) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return;
    fail_errno(path, "write", errno);
  }
  if (S_ISDIR(info.st_mode)) fail(path, "is a directory; name a file in it");
  if (!S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode)) fail(path, "is not a regular file; name one, or a new one");
  if (!overwrite) fail_taken(path);
}

std::optional<uint64_t> free_bytes(const std::string& folder) {
  struct statvfs info {};
  // some file systems of user space count no blocks at all
  if (::statvfs(folder.c_str(), &info) != 0 || info.f_blocks == 0) return std::nullopt;
  uint64_t bytes = 0;
  return __builtin_mul_overflow(uint64_t{info.f_bavail}, uint64_t{info.f_frsize}, &bytes) ? UINT64_MAX : bytes;
}

}  // namespace

std::optional<uint64_t> check_destination(const std::string& path, bool overwrite, uint64_t bytes) {
  const std::string folder = folder_of(path);
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    fail(path, fmt::format("there is no folder '{}', or no way into it; create it, or name another", folder));
  }
  if (path.empty() || path.back() == '/') fail(path, "names a folder; name a file in it");
  check_name(path, overwrite);
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    fail(path, fmt::format("cannot write into folder '{}': {}; name a file in another", folder, std::strerror(errno)));
  }
  const std::optional<uint64_t> room = free_bytes(folder);
  if (room && *room < bytes) {
    fail(path,
         fmt::format("{} bytes are needed and {} are free in '{}': {} bytes missing; free some, or name a file on "
                     "another disk",
                     bytes, *room, folder, bytes - *room));
  }
  return room;
}

void refuse_model(const std::string& option, const std::string& path, const std::string& model) {
  std::error_code absent;
  if (std::filesystem::equivalent(path, model, absent))
    throw UserError(kExitUsage, option + " names the model file itself; name another file");
}

void remove_unfinished_file() noexcept {
  if (g_is_unfinished) ::unlink(g_unfinished.data());
}

NewFile::NewFile(std::string path, bool overwrite) : path_(std::move(path)), overwrite_(overwrite) {
  struct stat replaced {};
  const bool replaces = ::stat(path_.c_str(), &replaced) == 0 && S_ISREG(replaced.st_mode);
  const mode_t mode = replaces ? replaced.st_mode & 0777U : 0666U;
  std::random_device random;
  const SignalsBlocked blocked;
  do {
    temporary_ = fmt::format("{}/.tritcheck-unfinished.{:08x}{:08x}", folder_of(path_), random(), random());
    if (temporary_.size() >= g_unfinished.size()) fail_errno(path_, "write", ENAMETOOLONG);
    fd_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (fd_ < 0 && errno == EEXIST);
  if (fd_ < 0) fail_errno(path_, "write", errno);
  std::memcpy(g_unfinished.data(), temporary_.c_str(), temporary_.size() + 1);
  g_is_unfinished = true;
  // the umask is for new files
  if (replaces) ::fchmod(fd_, mode);
}

NewFile::~NewFile() {
  ::close(fd_);
  remove_unfinished_file();
  g_is_unfinished = false;
}

void NewFile::write(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_errno(path_, "write", errno);
    bytes = bytes.subspan(static_cast<size_t>(n));
    size_ += static_cast<uint64_t>(n);
  }
}

void NewFile::sync() {
  if (::fsync(fd_) != 0) fail_errno(path_, "write", errno);
}

std::string NewFile::sha256_hex() const {
  if (size_ == 0) return tritcheck::sha256_hex({});
  void* address = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd_, 0);
  if (address == MAP_FAILED) fail_errno(path_, "read back", errno);
  const std::string hash = tritcheck::sha256_hex({static_cast<const uint8_t*>(address), size_});
  ::munmap(address, size_);
  return hash;
}

void NewFile::commit() {
  const auto rename_to = overwrite_ ? rename_over : rename_to_free_name;
  const int error = rename_to(temporary_.c_str(), path_.c_str());
  if (error == EEXIST) fail_taken(path_);
  if (error != 0) fail_errno(path_, "write", error);
  g_is_unfinished = false;
  // the new name, too, should outlive a power cut; a file system that cannot promise it is no reason to fail
  const int folder = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  ::fsync(folder);
  ::close(folder);
}

}  // namespace tritcheck
