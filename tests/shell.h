// The program as a user runs it: a line of shell, and what came of it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tests/temp_folder.h"

namespace tritcheck::testing {

inline const std::string kProgram = TRITCHECK_BINARY_DIR "/bin/tritcheck";

/// What a command left: its exit code (128 and more: the signal), standard output and standard error.
struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};

/// A line of shell in `folder`, so that quoting, pipes and the environment are a user's. What it prints goes to
/// `prints`.
inline Ran shell_in(const std::string& folder, const std::string& command, const std::string& prints) {
  const std::string out = prints + "/out";
  const std::string err = prints + "/err";
  const std::string line = "cd '" + folder + "' && { " + command + "\n} >'" + out + "' 2>'" + err + "'";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contents(out), contents(err)};
}

/// One line on standard error that holds `hint`, nothing on standard output, this exit code.
inline void expect_one_line(const Ran& r, const std::string& args, int code, const std::string& hint) {
  EXPECT_EQ(r.code, code) << args << "\n" << r.err;
  EXPECT_EQ(r.out, "") << args;
  EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << args << "\n" << r.err;
  EXPECT_THAT(r.err, ::testing::AllOf(::testing::StartsWith("tritcheck: "), ::testing::EndsWith("\n"),
                                      ::testing::HasSubstr(hint)))
      << args;
}

}  // namespace tritcheck::testing
