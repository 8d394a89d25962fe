#include "harness/verify/baseline.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <fstream>
#include <sstream>

#include "harness/base/error.h"
#include "harness/diagnose/catalog/catalog.h"

namespace tritcheck {
namespace {

bool glob(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

}  // namespace

std::vector<KnownDefect> read_baseline(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw UserError(kExitBadFile, fmt::format("--baseline {}: cannot be read", path));
  std::vector<KnownDefect> out;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    KnownDefect d;
    d.line = number;
    if (!(words >> d.library)) continue;
    std::string more;
    if (!(words >> d.device >> d.function >> d.diagnosis) || words >> more) {
      throw UserError(
          kExitBadFile,
          fmt::format("{}, line {}: four words are wanted: library, device, function, diagnosis", path, number));
    }
    if (find_diagnosis(d.diagnosis) == nullptr) {
      throw UserError(kExitBadFile, fmt::format("{}, line {}: '{}' is no diagnosis (`tritcheck explain` lists them)",
                                                path, number, d.diagnosis));
    }
    out.push_back(std::move(d));
  }
  if (file.bad()) throw UserError(kExitBadFile, fmt::format("--baseline {}: cannot be read; is it a folder?", path));
  return out;
}

void apply_baseline(std::vector<KnownDefect> known, Report& report) {
  for (KernelReport& k : report.kernels) {
    if (k.verdict == Verdict::skipped) continue;
    // "libggml-cpu.so on qemu:max"
    const size_t on = k.target.rfind(" on ");
    const std::string library = k.target.substr(0, on);
    const std::string device = on == std::string::npos ? "" : k.target.substr(on + 4);
    for (KnownDefect& d : known) {
      if (!glob(d.library, library) || !glob(d.device, device) || !glob(d.function, k.kernel.name)) continue;
      d.looked_for = true;
      if (!k.failure || k.failure->diagnosis != d.diagnosis) continue;
      d.seen = true;
      k.known_defect = true;
    }
  }
  for (const KnownDefect& d : known) {
    if (!d.looked_for || d.seen) continue;
    report.unseen_defects.push_back(
        fmt::format("{} {} {} {} (line {})", d.library, d.device, d.function, d.diagnosis, d.line));
  }
}

}  // namespace tritcheck
