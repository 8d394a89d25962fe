// Feeds files, or all files of folders, to a fuzz target: the committed corpus as a test, under any compiler.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

bool replay(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
    return false;
  }
  const std::vector<char> content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  // exactly as long as the file, so that ASan sees a read behind it
  const auto copy = std::make_unique<uint8_t[]>(content.size());
  std::copy(content.begin(), content.end(), copy.get());
  std::printf("%s\n", path.c_str());
  std::fflush(stdout);  // names the file if it crashes
  LLVMFuzzerTestOneInput(copy.get(), content.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  size_t files = 0;
  for (int i = 1; i < argc; ++i) {
    std::error_code error;
    std::vector<fs::path> paths;
    if (fs::is_directory(argv[i], error)) {
      for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
        if (entry.is_regular_file()) paths.push_back(entry.path());
      }
    } else {
      paths.emplace_back(argv[i]);
    }
    for (const fs::path& path : paths) {
      if (!replay(path)) return 1;
      ++files;
    }
  }
  if (files == 0) {
    std::fprintf(stderr, "nothing to replay: name a file or a folder with files\n");
    return 1;
  }
  std::printf("%zu inputs replayed\n", files);
  return 0;
}
