// Shared libraries as files: which of a folder are worth loading, and for which machine they are.
#pragma once

#include <string>
#include <vector>

namespace tritcheck {

struct LibraryFile {
  std::string path;
  std::string label;       ///< the file's name, or its path if two have the same name
  std::string arch;        ///< "x86_64", "aarch64", or what the file says otherwise; empty if it is no ELF library
  std::string problem;     ///< why it cannot be loaded at all; empty if it may
  bool damaged = false;    ///< an ELF library that was cut off
  bool by_folder = false;  ///< found in a folder, not named: a problem is a line of the report and no error
  bool promising = false;  ///< exports something that is known here
};

/// Reads the file's ELF header and dynamic symbols. Never throws: what is wrong is in `problem`.
LibraryFile look_at(const std::string& path);

/// The files and, of each folder, the promising libraries in it, each once whatever links lead to it, and the damaged
/// ones. Throws UserError(kExitBadFile) for a path that does
/// not exist and for a folder without any.
std::vector<LibraryFile> find_libraries(const std::vector<std::string>& paths);

}  // namespace tritcheck
