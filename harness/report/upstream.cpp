#include "harness/report/upstream.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/diagnose/catalog.h"
#include "harness/foreign/grids.h"
#include "harness/foreign/problem.h"
#include "harness/report/summary.h"

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

// Prints what the function answers beside what is right.
std::string program(const KernelReport& k, const std::string& library, const foreign::Problem& p,
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
  const auto place = [&](const char* name) {
    return at_guard ? fmt::format("at_the_end({0}, sizeof {0})", name) : std::string(name);
  };
  out += fmt::format(
      "\nint main(int argc, char **argv) {{\n"
      "  void *lib = dlopen(argc > 1 ? argv[1] : \"{}\", RTLD_NOW);\n"
      "  if (!lib) {{ puts(dlerror()); return 1; }}\n"
      "  void (*init)(void) = (void (*)(void))dlsym(lib, \"ggml_cpu_init\");\n"
      "  if (init) init();\n"
      "  {} = dlsym(lib, \"{}\");\n"
      "  if (!f) {{ puts(dlerror()); return 1; }}\n",
      library, signature(p.role), k.kernel.name);
  if (p.role == Role::from_float) {
    out += fmt::format("  uint8_t out[{}];\n  memset(out, 0xA5, sizeof out);\n  f((const float *){}, out, {});\n",
                       words * 4, place("x"), p.k);
  } else if (p.role == Role::to_float) {
    out +=
        fmt::format("  float out[{}];\n  memset(out, 0xA5, sizeof out);\n  f({}, out, {});\n", words, place("x"), p.k);
  } else {
    const size_t bx = p.x.size() / static_cast<size_t>(p.n);
    const size_t by = p.y.size() / static_cast<size_t>(p.n);
    out += fmt::format("  float out[{}];\n  memset(out, 0xA5, sizeof out);\n  f({}, out, {}, {}, {}, {}, {}, {});\n",
                       words, p.k, p.n == 1 ? 0 : p.out_stride, place("x"), p.n == 1 ? 0 : bx, place("y"),
                       p.n == 1 ? 0 : by, p.n);
  }
  constexpr size_t kShown = 8;
  for (size_t i = 0; i < std::min(kShown, e.values.size()); ++i) {
    const bool bytes = p.role == Role::from_float;
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

std::string one(const KernelReport& k, const TargetReport& t, const ReportContext& context) {
  const Failure& f = *k.failure;
  std::string out = fmt::format("# {}: {} (`{}`)\n\n", k.kernel.name, f.sentence, f.diagnosis);
  out += fmt::format("- library: `{}`{}\n- device: {}{}\n- found by: tritcheck {}, `{}`\n\n", t.worker.library.path,
                     t.worker.library.version.empty() ? "" : ", version " + t.worker.library.version,
                     k.target.substr(k.target.rfind(" on ") + 4), t.emulated ? " (emulated)" : "",
                     context.build.version, f.case_text);
  for (const std::string& line : f.evidence) out += fmt::format("- {}\n", line);
  if (const CatalogEntry* entry = find_diagnosis(f.diagnosis)) out += fmt::format("\n{}\n", entry->what);
  if (!foreign::is_case(f.case_text)) return out + "\n";
  const foreign::Case c = foreign::parse_case(f.case_text);
  if (c.probe == "real") {
    return out +
           fmt::format("\nThe failing input is row {} of tensor `{}` of a model file (SHA-256 begins with {}).\n\n",
                       c.row, c.tensor, c.model);
  }
  if (foreign::grid_named(c.format) != nullptr) {
    return out + fmt::format(
                     "\nNo program: the values of {} are not known to tritcheck; what is broken is a relation "
                     "between the function's own answers. `tritcheck replay '{}' --lib ...` repeats it.\n\n",
                     c.format, f.case_text);
  }
  const foreign::Problem p = foreign::make_problem(c);
  out += fmt::format("\nThe smallest failing input, K = {}{}. ", p.k, p.n == 2 ? ", nrc = 2" : "");
  out += "The expected values are exact sums over the quantised blocks, not the dot of unquantised data.\n\n";
  out += fmt::format("```c\n/* cc repro.c -ldl && ./a.out {} */\n{}```\n\n", t.worker.library.path,
                     program(k, t.worker.library.path, p, foreign::expected(p)));
  return out;
}

}  // namespace

std::string upstream_report(const Report& report, const ReportContext& context) {
  std::string out;
  for (const KernelReport& k : report.kernels) {
    if (!k.failure) continue;
    for (const TargetReport& t : report.targets) {
      if (t.target == k.target) out += one(k, t, context);
    }
  }
  return out.empty() ? "No failures: nothing to report.\n" : out;
}

}  // namespace tritcheck
