#include "harness/report/upstream_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tritcheck {
namespace {

// What is the same in all programs. The call is made twice, as docs/design.md says under "Memory protocol"; @...@ is
// filled in.
constexpr const char* kBegin = R"(#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

)";

constexpr const char* kPlace = R"(
/* n bytes that end where the accessible memory ends (run 0), or start `offset` bytes from where it starts (run 1) */
static uint8_t *place(const void *from, size_t n, int run, size_t align, size_t offset, size_t over_read) {
  size_t room = (n + offset + over_read + 4096 + 65535) / 65536 * 65536;
  uint8_t *p = mmap(NULL, room + 131072, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  p += 65536;
  mprotect(p, room, PROT_READ | PROT_WRITE);
  memset(p, 0x5A, room);
  p += run ? offset : (room - over_read - n) / align * align;
  if (from) memcpy(p, from, n);
  return p;
}
)";

// Begins as tritcheck_plugin_info and tritcheck_kernel of include/tritcheck/kernel.h do.
constexpr const char* kFindInPlugin = R"(
struct kernel { const char *name, *other[5]; void *function; };
struct plugin { uint32_t version, size; uint64_t count; const char *kernels; };
static void *find(void *lib, const char *name) {
  struct plugin *(*ask)(void) = (struct plugin *(*)(void))dlsym(lib, "tritcheck_plugin");
  struct plugin *p = ask ? ask() : NULL;
  for (uint64_t i = 0; p && i < p->count; ++i) {
    struct kernel *k = (struct kernel *)(p->kernels + i * p->size);
    if (!strcmp(k->name, name)) return k->function;
  }
  return NULL;
}
)";

constexpr const char* kMain = R"(
int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  void *lib = dlopen(argc > 1 ? argv[1] : "@PATH@", RTLD_NOW);
  if (!lib) { puts(dlerror()); return 3; }
  void (*init)(void) = (void (*)(void))dlsym(lib, "ggml_cpu_init");
  if (init) init();
  @SIGNATURE@ = @FIND@(lib, "@NAME@");
  if (!f) { puts("no such function"); return 3; }
  const uint32_t before[2] = {0xA5A5A5A5, 0x7FC0DEAD};
  size_t bad = 0;
  for (int run = 0; run < 2; ++run) {
    uint8_t *px = place(x, sizeof x, run, @PLACE_X@);
@PLACE_Y@    uint8_t *out = place(NULL, OUT_BYTES, run, @PLACE_OUT@);
    for (size_t i = 0; i < OUT_BYTES; ++i) out[i] = (uint8_t)(before[run] >> 8 * (i % 4));
    printf("run %d\n", run);
    @CALL@;
    size_t wrong = 0;
    int right = 0;
)";

constexpr const char* kCheckFloats = R"(    static uint8_t result[OUT_BYTES];
    memset(result, 0, sizeof result);
    for (size_t i = 0; i < sizeof want / sizeof *want; ++i) {
      size_t at = @AT@;
      float got;
      memcpy(&got, out + 4 * at, 4);
      memset(result + 4 * at, 1, 4);
      right = isfinite(want[i]) ? isinf(bound[i]) || fabs(got - want[i]) <= bound[i] : !isfinite(got);
      if (!right && wrong++ < 8)
        printf("  out[%zu]: got %.9g, expected %.9g +- %.3g\n", at, (double)got, want[i], bound[i]);
    }
    printf("  %zu of %zu results are wrong\n", wrong, sizeof want / sizeof *want);
)";

constexpr const char* kCheckBytes = R"(    static uint8_t result[OUT_BYTES];
    memset(result, 0, sizeof result);
    memset(result, 1, sizeof want[0]);
    size_t best = 0, least = SIZE_MAX;
    for (size_t r = 0; r < sizeof want / sizeof *want; ++r) {
      size_t differ = 0;
      for (size_t i = 0; i < sizeof want[0]; ++i) differ += !ignored[i] && out[i] != want[r][i];
      if (differ < least) { least = differ; best = r; }
    }
    for (size_t i = 0; i < sizeof want[0]; ++i) {
      right = ignored[i] || out[i] == want[best][i];
      if (!right && wrong++ < 8) printf("  byte %zu: got %d, expected %d\n", i, out[i], want[best][i]);
    }
    printf("  %zu of %zu bytes are wrong\n", wrong, sizeof want[0]);
)";

constexpr const char* kEnd = R"(    for (size_t i = 0; i < OUT_BYTES; ++i) {
      if (result[i] || out[i] == (uint8_t)(before[run] >> 8 * (i % 4))) continue;
      printf("  byte %zu of the output, which is no part of a result, was written\n", i);
      ++wrong;
      break;
    }
    for (int i = 1; i <= 64; ++i) {
      uint8_t *near_it = run ? out + OUT_BYTES + i - 1 : out - i;
      if (*near_it == 0x5A) continue;
      printf("  memory %d bytes %s the output was written\n", i, run ? "behind" : "before");
      ++wrong;
      break;
    }
    if (memcmp(px, x, sizeof x)) { puts("  x was changed"); ++wrong; }
@CHECK_Y@    bad += wrong;
  }
  puts(bad ? "wrong" : "all right");
  return bad != 0;
}
)";

template <class T, class Text>
std::string array(const std::string& head, const std::vector<T>& values, Text text) {
  std::string out = head + " = {";
  for (size_t i = 0; i < values.size(); ++i) out += fmt::format("{}{},", i % 16 == 0 ? "\n    " : "", text(values[i]));
  return out + "\n};\n";
}
std::string bytes(const std::string& name, std::span<const uint8_t> values) {
  return array(fmt::format("static const uint8_t {}[{}]", name, values.size()),
               std::vector<int>(values.begin(), values.end()), [](int v) { return fmt::format("{}", v); });
}
std::string numbers(const std::string& name, const std::vector<double>& values) {
  return array(fmt::format("static const double {}[{}]", name, values.size()), values, [](double v) {
    return std::isnan(v) ? "NAN" : std::isinf(v) ? (v < 0 ? "-INFINITY" : "INFINITY") : fmt::format("{:.17g}", v);
  });
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

const char* signature(Op op) {
  switch (op) {
    case Op::to_float:
      return "void (*f)(const void *, float *, int64_t)";
    case Op::from_float:
      return "void (*f)(const float *, void *, int64_t)";
    default:
      return "void (*f)(int, float *, size_t, const void *, size_t, const void *, size_t, int)";
  }
}

std::string call(const Problem& p, const CallRequest& r) {
  if (p.op == Op::to_float) return fmt::format("f(px, (float *)out, {})", p.k);
  if (p.op == Op::from_float) return fmt::format("f((const float *)px, out, {})", p.k);
  // for one row strides mean nothing
  if (p.n == 1) return fmt::format("f({}, (float *)out, 0, px, 0, py, 0, 1)", p.k);
  return fmt::format("f({}, (float *)out, {}, px, {}, py, {}, {})", p.k, r.out_stride, r.w_stride, r.q_stride, p.n);
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

}  // namespace

bool has_program(const KernelReport& k, const LibraryInfo& library) {
  return is_plugin(library) || k.kernel.name.find(' ') == std::string::npos;
}

std::string upstream_program(const KernelReport& k, const LibraryInfo& library, const Problem& p,
                             const Expectation& e) {
  const CallRequest r = make_request(p, 0, true);
  const Contract& c = k.kernel.contract;
  const bool quantiser = p.op == Op::from_float;
  const std::vector<uint8_t> y(r.activations.begin(), r.activations.end());
  std::string out = kBegin + bytes("x", r.weights);
  if (!y.empty()) out += bytes("y", y);
  if (quantiser) {
    out += fmt::format("static const uint8_t want[{}][{}] = {{", e.rows.size(), e.values.size());
    for (const std::vector<uint8_t>& row : e.rows) out += fmt::format("\n    {{{}}},", fmt::join(row, ","));
    out += "\n};\n" + bytes("ignored", std::vector<uint8_t>(e.ignored.begin(), e.ignored.end()));
  } else {
    out += numbers("want", e.values) + numbers("bound", e.bounds);
  }
  if (p.op == Op::vec_dot) {
    out += array(fmt::format("static const size_t place_of[{}]", e.words.size()), e.words,
                 [](size_t w) { return fmt::format("{}", w); });
  }
  out += fmt::format("enum {{ OUT_BYTES = {} }};\n", r.out_words * 4);
  out += kPlace;
  if (is_plugin(library)) out += kFindInPlugin;

  std::string body = std::string(kMain) + (quantiser ? kCheckBytes : kCheckFloats) + kEnd;
  const std::pair<std::string_view, std::string> words[] = {
      {"@SIGNATURE@", signature(p.op)},
      {"@FIND@", is_plugin(library) ? "find" : "dlsym"},
      {"@PLACE_X@", fmt::format("{}, {}, {}", c.align_w, r.w_offset, c.overread_w)},
      {"@PLACE_Y@", y.empty() ? ""
                              : fmt::format("    uint8_t *py = place(y, sizeof y, run, {}, {}, {});\n", c.align_q,
                                            r.q_offset, c.overread_q)},
      {"@PLACE_OUT@", fmt::format("{}, {}, 0", c.align_out, r.out_offset)},
      {"@CALL@", call(p, r)},
      {"@AT@", p.op == Op::vec_dot ? "place_of[i]" : "i"},
      {"@CHECK_Y@", y.empty() ? "" : "    if (memcmp(py, y, sizeof y)) { puts(\"  y was changed\"); ++wrong; }\n"},
      // last, since they may hold anything
      {"@NAME@", c_text(k.kernel.name)},
      {"@PATH@", c_text(library.path)}};
  for (const auto& [what, by] : words) body = replaced(body, what, by);
  return out + body;
}

}  // namespace tritcheck
