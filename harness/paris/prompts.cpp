#include "harness/paris/prompts.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "harness/base/error.h"

namespace tritcheck {

const std::vector<std::string>& default_prompts() {
  static const std::vector<std::string> prompts = {
      // facts
      "The capital of France is",
      "The capital of Germany is",
      "The capital of Japan is",
      "The capital of Italy is",
      "The capital of Egypt is",
      "The capital of Peru is",
      "The capital of Canada is",
      "The capital of Kenya is",
      "The capital of Norway is",
      "The capital of India is",
      "Question: What is the capital of Spain? Answer:",
      "Tell me: the capital of Nepal is",
      // controls
      "The capital of Kuwait is",
      "The capital of Mexico is",
      "1 plus 1 is 2. 1 plus 2 is 3. 1 plus 3 is 4. 1 plus",
      "3 plus 4 is",
      "Tom and Lily liked the lake. Tom and Lily liked the cow. Tom and Lily",
      "The old fox found",
  };
  return prompts;
}

const std::vector<std::string>& reference_texts() {
  static const std::vector<std::string> texts = {
      "The capital of France is Paris.", "The capital of Germany is Berlin.", "The capital of Italy is Rome.",
      "The capital of Japan is Tokyo.",  "The capital of Spain is Madrid.",   "The capital of Egypt is Cairo.",
      "The capital of Peru is Lima.",    "The capital of Norway is Oslo.",
  };
  return texts;
}

std::vector<std::string> read_prompts(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw UserError(kExitBadFile, path + ": cannot read it: " + std::strerror(errno) + "; one prompt per line");
  std::vector<std::string> prompts;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty() && line.front() != '#') prompts.push_back(line);
  }
  if (prompts.empty()) throw UserError(kExitBadFile, path + ": no prompt in it; write one per line");
  return prompts;
}

}  // namespace tritcheck
