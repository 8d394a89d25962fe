#include "harness/targets/target.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>

#include "harness/base/error.h"

namespace tritcheck {
namespace {

constexpr const char* kForms = "local, qemu:[ARCH/]CPU[,vl=BITS]";
constexpr const char* kArches[] = {"aarch64", "x86_64"};

/// Emulated CPUs with SVE and their longest vectors in bits. Only `max` can take every multiple of 128.
const std::map<std::string, int>& sve_cpus() {
  static const std::map<std::string, int> cpus = {
      {"max", 2048}, {"a64fx", 512}, {"neoverse-v1", 256}, {"neoverse-n2", 128}, {"cortex-a710", 128}};
  return cpus;
}

[[noreturn]] void usage(const std::string& text, const std::string& what) {
  throw UserError(kExitUsage, fmt::format("target '{}': {}", text, what));
}
[[noreturn]] void absent(const std::string& text, const std::string& what) {
  throw UserError(kExitNoDevice, fmt::format("target '{}': {}", text, what));
}

std::string host_arch() {
  utsname host{};
  uname(&host);
  return host.machine;
}

std::string libexec() {
  if (const char* given = std::getenv("TRITCHECK_LIBEXEC"); given != nullptr && *given != '\0') return given;
  char self[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", self, sizeof self);
  const std::string program(self, static_cast<size_t>(std::max<ssize_t>(n, 0)));
  const std::string folder = program.substr(0, program.rfind('/'));
  return folder.substr(0, folder.rfind('/')) + "/libexec/tritcheck";
}

std::string find_runner(const std::string& text, const std::string& arch, Runner which) {
  std::string path =
      fmt::format("{}/{}/tritcheck-{}", libexec(), arch, which == Runner::kernels ? "runner" : "library-runner");
  if (access(path.c_str(), X_OK) == 0) return path;
  if (arch == host_arch()) absent(text, fmt::format("there is no {}; build or install tritcheck again", path));
  absent(text, fmt::format("there is no runner for {0}; build it: cmake -DTRITCHECK_CROSS={0} and build again "
                           "(or set TRITCHECK_LIBEXEC)",
                           arch));
}

/// The CPU models an emulator knows; nothing if there is no such emulator.
const std::optional<std::vector<std::string>>& cpu_models(const std::string& arch) {
  static std::mutex mutex;
  static std::map<std::string, std::optional<std::vector<std::string>>> known;
  const std::lock_guard lock(mutex);
  const auto [entry, fresh] = known.try_emplace(arch);
  if (!fresh) return entry->second;
  FILE* help = popen(fmt::format("qemu-{} -cpu help 2>/dev/null", arch).c_str(), "r");
  if (help == nullptr) return entry->second;
  std::vector<std::string> models;
  bool listing = true;
  char line[512];
  while (std::fgets(line, sizeof line, help) != nullptr) {
    // "  cortex-a53", "x86 Haswell   (alias ...)", and after the models the names of the features
    std::istringstream words(line);
    std::string word;
    words >> word;
    listing = listing && word != "Recognized";
    if (word == "x86") words >> word;
    if (listing && word != "Available" && !word.empty()) models.push_back(word);
  }
  pclose(help);  // tells nothing: qemu ends with 1 after its help
  if (!models.empty()) entry->second = std::move(models);
  return entry->second;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

void check_model(const std::string& text, const std::string& arch, const std::string& cpu) {
  const auto& models = cpu_models(arch);
  if (!models) absent(text, fmt::format("qemu-{} is not installed; apt-get install qemu-user", arch));
  if (std::find(models->begin(), models->end(), cpu) != models->end()) return;
  for (const std::string& model : *models) {
    if (lower(model) == lower(cpu)) absent(text, fmt::format("no CPU model '{}'; did you mean {}?", cpu, model));
  }
  absent(text, fmt::format("no CPU model '{}'; `qemu-{} -cpu help` lists the models", cpu, arch));
}

int parse_vl(const std::string& text, const std::string& digits) {
  int bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  const bool number = error == std::errc{} && end == digits.data() + digits.size();
  if (!number || bits < 128 || bits > 2048 || bits % 128 != 0) {
    usage(text, fmt::format("vl={} is no SVE vector length; it is a multiple of 128 from 128 to 2048 bits", digits));
  }
  return bits;
}

/// What qemu wants to hear for exactly this vector length. Lengths over 512 also need the default cap lifted.
std::string sve_options(const std::string& text, const std::string& cpu, int bits) {
  const auto longest = sve_cpus().find(cpu);
  if (longest == sve_cpus().end()) usage(text, fmt::format("vl= needs a CPU with SVE, and {} has none; try max", cpu));
  const bool legal = bits <= longest->second && (cpu == "max" || (bits & (bits - 1)) == 0);
  if (!legal) usage(text, fmt::format("{} has no vectors of {} bits; its longest are {}", cpu, bits, longest->second));
  return fmt::format(",sve{}=on{}", bits, bits > 512 ? ",sve-default-vector-length=-1" : "");
}

// Where the dynamic loader and the system's libraries of that architecture are, for an emulator to use; empty if they
// are those of this machine.
std::string sysroot(const std::string& text, const std::string& arch) {
  if (arch == host_arch()) return "";
  const std::string root = fmt::format("/usr/{}-linux-gnu", arch);
  if (access((root + "/lib").c_str(), R_OK) != 0) {
    absent(text, fmt::format("no system libraries for {} in {}; install the cross compiler (g++-aarch64-linux-gnu)",
                             arch, root));
  }
  return root;
}

Target resolve_qemu(const std::string& text, const std::string& spec, Runner runner) {
  std::vector<std::string> parts;
  std::istringstream in(spec);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  const std::string name = parts.empty() ? "" : parts.front();
  const size_t slash = name.find('/');
  const std::string arch = slash == std::string::npos ? "aarch64" : name.substr(0, slash);
  const std::string cpu = slash == std::string::npos ? name : name.substr(slash + 1);
  if (cpu.empty()) usage(text, fmt::format("no CPU model; a target is one of {}", kForms));
  if (std::find(std::begin(kArches), std::end(kArches), arch) == std::end(kArches)) {
    usage(text, fmt::format("unknown architecture '{}'; known are aarch64, x86_64", arch));
  }
  int bits = 0;
  for (size_t i = 1; i < parts.size(); ++i) {
    if (!parts[i].starts_with("vl=")) usage(text, fmt::format("unknown option '{}'; known is vl=BITS", parts[i]));
    if (arch != "aarch64") usage(text, "vl= is a vector length of SVE, which only aarch64 has");
    bits = parse_vl(text, parts[i].substr(3));
  }
  check_model(text, arch, cpu);
  const std::string options = bits == 0 ? "" : sve_options(text, cpu, bits);

  Target target;
  target.text = fmt::format("qemu:{}{}{}", arch == "aarch64" ? "" : arch + "/", cpu,
                            bits == 0 ? "" : fmt::format(",vl={}", bits));
  target.arch = arch;
  target.emulated = true;
  target.command = {"qemu-" + arch, "-cpu", cpu + options};
  if (runner == Runner::libraries) {
    if (const std::string root = sysroot(text, arch); !root.empty()) {
      target.command.insert(target.command.end(), {"-L", root});
    }
  }
  target.runner = find_runner(text, arch, runner);
  return target;
}

}  // namespace

std::vector<Target> resolve_targets(const std::vector<std::string>& texts, Runner runner) {
  std::vector<Target> out;
  for (const std::string& text : texts) {
    Target target = resolve_target(text, runner);
    if (std::ranges::find(out, target.text, &Target::text) == out.end()) out.push_back(std::move(target));
  }
  return out;
}

std::string arch_of(const Target& target) {
  return target.arch.empty() ? host_arch() : target.arch;
}

Target resolve_target(const std::string& text, Runner runner) {
  if (text == "local") {
    Target target;
    target.text = text;
    target.runner = find_runner(text, host_arch(), runner);
    return target;
  }
  const std::string scheme = text.substr(0, text.find(':'));
  if (text.starts_with("qemu:")) return resolve_qemu(text, text.substr(5), runner);
  if (scheme == "adb" || scheme == "ssh") {
    usage(text, fmt::format("{}: is not built yet; use local or qemu:, or run tritcheck on the device itself", scheme));
  }
  usage(text, fmt::format("unknown; a target is one of {}", kForms));
}

std::vector<TargetHint> known_targets() {
  std::vector<TargetHint> hints;
  for (const char* text : {"local", "qemu:cortex-a53", "qemu:cortex-a72", "qemu:cortex-a76", "qemu:neoverse-n1",
                           "qemu:max", "qemu:max,vl=256", "qemu:x86_64/Conroe", "qemu:x86_64/Nehalem",
                           "qemu:x86_64/SandyBridge", "qemu:x86_64/Haswell"}) {
    TargetHint& hint = hints.emplace_back(TargetHint{text, "ready"});
    try {
      resolve_target(text);
    } catch (const UserError& error) {
      const std::string what = error.what();
      hint.note = what.substr(what.find("': ") + 3);
    }
  }
  return hints;
}

}  // namespace tritcheck
