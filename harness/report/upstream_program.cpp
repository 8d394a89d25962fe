#include "harness/report/upstream_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tritcheck {
namespace {

std::string array(const std::string& name, const std::vector<uint8_t>& bytes) {
  std::string out = fmt::format("static const uint8_t {}[{}] __attribute__((aligned(64))) = {{", name, bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i) out += fmt::format("{}{},", i % 24 == 0 ? "\n    " : "", bytes[i]);
  return out + "\n};\n";
}

const char* signature(Role role) {
  switch (role) {
    case Role::to_float:
      return "void (*f)(const void *, float *, int64_t)";
    case Role::from_float:
      return "void (*f)(const float *, void *, int64_t)";
    default:
      return "void (*f)(int, float *, size_t, const void *, size_t, const void *, size_t, int)";
  }
}

// A text as C has it between double quotes.
std::string c_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    // ? too, lest two make a trigraph
    if (c == '"' || c == '\\' || c == '?' || byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\{:03o}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

bool is_plugin(const LibraryInfo& library) {
  return library.abi.starts_with("plug-in");
}

// Begins as tritcheck_plugin_info and tritcheck_kernel of include/tritcheck/kernel.h do.
constexpr const char* kFindInPlugin =
    "struct kernel { const char *name, *other[5]; void *function; };\n"
    "struct plugin { uint32_t version, size; uint64_t count; const char *kernels; };\n"
    "static void *find(void *lib, const char *name) {\n"
    "  struct plugin *(*ask)(void) = (struct plugin *(*)(void))dlsym(lib, \"tritcheck_plugin\");\n"
    "  struct plugin *p = ask ? ask() : NULL;\n"
    "  for (uint64_t i = 0; p && i < p->count; ++i) {\n"
    "    struct kernel *k = (struct kernel *)(p->kernels + i * p->size);\n"
    "    if (!strcmp(k->name, name)) return k->function;\n"
    "  }\n"
    "  return NULL;\n}\n";

}  // namespace

bool has_program(const KernelReport& k, const LibraryInfo& library) {
  return is_plugin(library) || k.kernel.name.find(' ') == std::string::npos;
}

std::string upstream_program(const KernelReport& k, const LibraryInfo& library, const foreign::Problem& p,
                             const foreign::Expectation& e) {
  std::string out =
      "#include <dlfcn.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n\n";
  const bool at_guard = k.verdict == Verdict::over_read || k.verdict == Verdict::over_write;
  out += array("x", p.x);
  if (!p.y.empty()) out += array("y", p.y);
  const size_t words = foreign::make_request(p, 0, false).out_words;
  if (at_guard) {
    out +=
        "#include <sys/mman.h>\n\n"
        "/* a copy that ends where the accessible memory ends */\n"
        "static void *at_the_end(const void *from, size_t n) {\n"
        "  size_t room = (n + 65535) / 65536 * 65536;\n"
        "  char *p = mmap(NULL, room + 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"
        "  mprotect(p, room, PROT_READ | PROT_WRITE);\n"
        "  return memcpy(p + room - n, from, n);\n}\n";
  }
  if (is_plugin(library)) out += kFindInPlugin;
  const auto place = [&](const char* name) {
    return at_guard ? fmt::format("at_the_end({0}, sizeof {0})", name) : std::string(name);
  };
  out += fmt::format(
      "\nint main(int argc, char **argv) {{\n"
      "  void *lib = dlopen(argc > 1 ? argv[1] : \"{}\", RTLD_NOW);\n"
      "  if (!lib) {{ puts(dlerror()); return 1; }}\n"
      "  void (*init)(void) = (void (*)(void))dlsym(lib, \"ggml_cpu_init\");\n"
      "  if (init) init();\n"
      "  {} = {}(lib, \"{}\");\n"
      "  if (!f) {{ puts(\"no such function\"); return 1; }}\n",
      c_text(library.path), signature(p.role), is_plugin(library) ? "find" : "dlsym", c_text(k.kernel.name));
  const bool bytes = p.role == Role::from_float;
  const char* type = bytes ? "uint8_t" : "float";
  out += fmt::format("  {} out_here[{}] = {{0}}, *out = {};\n", type, bytes ? words * 4 : words,
                     k.verdict == Verdict::over_write ? "at_the_end(out_here, sizeof out_here)" : "out_here");
  out += "  memset(out, 0xA5, sizeof out_here);\n";
  if (p.role == Role::vec_dot) {
    const size_t bx = p.x.size() / static_cast<size_t>(p.n);
    const size_t by = p.y.size() / static_cast<size_t>(p.n);
    out += fmt::format("  f({}, out, {}, {}, {}, {}, {}, {});\n", p.k, p.n == 1 ? 0 : p.out_stride, place("x"),
                       p.n == 1 ? 0 : bx, place("y"), p.n == 1 ? 0 : by, p.n);
  } else {
    out += fmt::format("  f({}{}, out, {});\n", bytes ? "(const float *)" : "", place("x"), p.k);
  }
  constexpr size_t kShown = 8;
  for (size_t i = 0; i < std::min(kShown, e.values.size()); ++i) {
    out += fmt::format(
        "  printf(\"{0}[{1}]: got {2}, expected {3}\\n\", {4}out[{1}]);\n", bytes ? "byte " : "out",
        bytes ? i : e.words[i], bytes ? "%d" : "%.9g",
        bytes
            ? fmt::format("{}", e.values[i])
            : fmt::format("{:.9g}{}", e.values[i],
                          e.bounds[i] > 0 && std::isfinite(e.bounds[i]) ? fmt::format(" +- {:.3g}", e.bounds[i]) : ""),
        bytes ? "" : "(double)");
  }
  return out + "  return 0;\n}\n";
}

}  // namespace tritcheck
