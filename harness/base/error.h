// What goes wrong for a reason that its user can mend, and the exit codes of the program.
#pragma once

#include <stdexcept>
#include <string>

namespace tritcheck {

/// Exit codes of the program, documented in README.md.
enum ExitCode : int {
  kExitPass = 0,
  kExitWrong = 1,
  kExitCrash = 2,  ///< a kernel crashed or hung
  kExitNothingRan = 3,
  kExitUsage = 4,
  kExitBadFile = 5,
  kExitNoDevice = 6,
  kExitInternal = 7,  ///< the harness itself failed: please report it
  kExitInterrupted = 130,
};

/// Bad usage, a bad file or a missing device, with the exit code it deserves. what() is one line that says what to do.
class UserError : public std::runtime_error {
 public:
  UserError(ExitCode code, const std::string& what) : std::runtime_error(what), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace tritcheck
