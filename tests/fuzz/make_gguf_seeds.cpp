// Writes the hand-made GGUF cases as seeds for the fuzzer:  make_gguf_seeds [--check] FOLDER
// With --check it writes nothing and fails if a committed seed is missing or differs.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "tests/gguf_cases.h"

namespace {

namespace fs = std::filesystem;
using tritcheck::testing::GgufCase;

constexpr size_t kMaxSeed = 2048;

bool same(const fs::path& path, std::string_view content) {
  std::ifstream in(path, std::ios::binary);
  return in && std::string(std::istreambuf_iterator<char>(in), {}) == content;
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc == 3 && std::string_view(argv[1]) == "--check";
  if (argc != 2 && !check) {
    std::fprintf(stderr, "usage: make_gguf_seeds [--check] FOLDER\n");
    return 1;
  }
  const fs::path folder = argv[argc - 1];
  std::error_code error;
  if (!check) fs::create_directories(folder, error);
  int bad = 0;
  for (const GgufCase& c : tritcheck::testing::gguf_cases()) {
    if (c.bytes.size() > kMaxSeed) continue;
    const std::string content(c.bytes.begin(), c.bytes.end());
    const fs::path path = folder / (c.name + ".gguf");
    if (!check) std::ofstream(path, std::ios::binary) << content;
    if (!same(path, content)) {
      std::fprintf(stderr, "%s: missing or not as generated; run make_gguf_seeds %s\n", path.c_str(), folder.c_str());
      ++bad;
    }
  }
  return bad == 0 ? 0 : 1;
}
