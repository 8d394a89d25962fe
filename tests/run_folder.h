// What the tests of `tritcheck run` have in common: a folder, the program in it, edited models, a child to signal.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include "reference/gguf.h"
#include "tests/gguf_writer.h"
#include "tests/shell.h"

namespace tritcheck::testing {

inline const std::string kModels = TRITCHECK_SOURCE_DIR "/corpora/models/";
inline const std::string kFrance = " -p 'The capital of France is'";

inline size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

class RunFolder : public ::testing::Test {
 protected:
  // A line of shell; "$P" is the program, "$A" and "$B" the small models.
  Ran shell(const std::string& command) const {
    const std::string names = "P='" + kProgram + "' A='" + kModels + "paris-a-i2_s.x86_128.gguf' B='" + kModels +
                              "paris-b-i2_s.x86_128.gguf'; ";
    return shell_in(dir_, names + command, dir_);
  }
  Ran run(const std::string& args) const { return shell("\"$P\" run " + args); }
  // The text alone, of a run that must succeed.
  std::string text(const std::string& args) const {
    const Ran r = run(args);
    EXPECT_EQ(r.code, 0) << args << "\n" << r.err;
    return r.out;
  }

  void expect_refused(const std::string& args, int code, const std::string& hint) const {
    expect_one_line(run(args), args, code, hint);
  }

  using Edits = std::vector<std::pair<std::string, std::string>>;
  // paris-b with bytes of its metadata replaced, the first of each kind, one edit after the other. Lengths may change:
  // the tensors are placed anew.
  std::string edited(const std::string& name, const Edits& edits) const {
    const std::string all = contents(kModels + "paris-b-i2_s.x86_128.gguf");
    const gguf::File file = gguf::parse({reinterpret_cast<const uint8_t*>(all.data()), all.size()});
    std::string head = all.substr(0, file.data_start);
    const gguf::Tensor* last = &file.tensors.back();
    head.resize(last->info_offset + 8 + last->name.size() + 4 + 8 * last->n_dims + 4 + 8);
    for (const auto& [what, with] : edits) {
      const size_t at = head.find(what);
      EXPECT_NE(at, std::string::npos) << what;
      head.replace(at, what.size(), with);
    }
    head.resize((head.size() + 31) / 32 * 32);
    return folder_.file(name, head + all.substr(file.data_start));
  }
  static std::string stored(const std::string& text) {
    GgufWriter w;
    w.string(text);
    return {w.bytes().begin(), w.bytes().end()};
  }
  // A model that never ends its text: the key of its eos is another.
  std::string endless() const {
    return edited("endless.gguf", {{"tokenizer.ggml.eos_token_id", "tokenizer.ggml.xxx_token_id"}});
  }
  // One with another kind of tokeniser.
  std::string sentence_piece() const {
    const std::string key = stored("tokenizer.ggml.model") + std::string("\x08\0\0\0", 4);
    return edited("sp.gguf", {{key + stored("gpt2"), key + stored("llama")}});
  }
  // Where "y" and "o" are said, this one says the two bytes of U+00E9: the tokens have changed places.
  std::string text_of_bytes() const {
    const std::string first = stored("\u00C3");  // bytes in the byte alphabet
    const std::string second = stored("\u00A9");
    return edited("bytes.gguf", {{first, "<place>"},
                                 {stored("y"), first},
                                 {"<place>", stored("y")},
                                 {second, "<place>"},
                                 {stored("o"), second},
                                 {"<place>", stored("o")}});
  }

  TempFolder folder_;
  const std::filesystem::path dir_ = folder_.path();
};

// Started here, not by a shell: that would start it with SIGINT ignored.
class Child {
 public:
  explicit Child(std::vector<std::string> args) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    args.insert(args.begin(), kProgram);
    std::vector<char*> argv;
    for (std::string& a : args) argv.push_back(a.data());
    argv.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
      execv(argv[0], argv.data());
      _exit(99);
    }
    close(ends[1]);
    fd_ = ends[0];
  }
  ~Child() { close(fd_); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // At least n bytes more, or all to the end, for 20 seconds at most.
  void read(size_t n) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    char part[4096];
    for (const size_t wanted = out.size() + std::min(n, SIZE_MAX - out.size()); out.size() < wanted;) {
      if (std::chrono::steady_clock::now() > until) return;
      pollfd ready{fd_, POLLIN, 0};
      if (poll(&ready, 1, 100) <= 0) continue;
      const ssize_t got = ::read(fd_, part, sizeof part);
      if (got <= 0) return;
      out.append(part, static_cast<size_t>(got));
    }
  }
  void interrupt() const { kill(pid_, SIGINT); }
  // The exit code, 1000 and more: the signal. Whoever takes more than 20 seconds is killed.
  int wait() const {
    int status = 0;
    for (int i = 0; waitpid(pid_, &status, WNOHANG) == 0; ++i) {
      if (i == 2000) kill(pid_, SIGKILL);
      usleep(10000);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }

  std::string out;

 private:
  pid_t pid_ = -1;
  int fd_ = -1;
};

}  // namespace tritcheck::testing
