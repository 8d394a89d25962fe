#include "harness/runner/library/library.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "harness/cases/formats.h"
#include "harness/cases/grids.h"
#include "harness/runner/channel.h"
#include "harness/runner/library/attempt.h"
#include "harness/runner/library/plugin.h"
#include "harness/runner/library/smoke.h"
#include "harness/runner/library/type_table.h"

namespace tritcheck {
namespace {

// ggml's older trees fill their tables when the first context is made.
struct InitParameters {
  size_t bytes = size_t{1} << 20;
  void* memory = nullptr;
  bool no_alloc = false;
};

std::string file_of(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "";
  return info.dli_fname;
}

std::string base_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

class Loader {
 public:
  explicit Loader(const std::string& path) {
    out_.info.path = path;
    setenv("GGML_NO_BACKTRACE", "1", 1);  // else an abort starts a debugger
    // its constructors may do anything: first in a child
    const Attempt tried = attempt([&](const Tell&) { dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); });
    if (!tried.died.empty())
      fail((tried.died.starts_with("no answer") ? "it hangs when it is loaded: " : "it dies when it is loaded: ") +
               tried.died,
           kExitDied);
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) fail(std::string("cannot load it: ") + dlerror());
  }

  LoadedLibrary load() && {
    if (read_plugin(handle_, out_.info, out_.kernels, out_.functions)) return std::move(out_);
    const bool refused = ask_score();
    std::string note;
    const std::optional<TypeTable> table = read_type_table(handle_, note);
    if (!note.empty()) out_.info.notes.push_back(note);
    from_bitnet();
    if (table) {
      out_.info.abi = table->abi;
      out_.info.types = static_cast<int64_t>(table->types.size());
      from_table(*table);
    }
    from_symbols();
    if (out_.kernels.empty()) {
      fail("nothing that can be verified: no tritcheck_plugin, no ggml_vec_dot_*, no table of types" +
           (note.empty() ? std::string() : " (" + note + ")"));
    }
    if (refused) {
      for (size_t i = 0; i < out_.kernels.size(); ++i) {
        refuse(i, "ggml_backend_score is 0: the library says that this CPU cannot run it");
      }
    } else {
      initialise();
    }
    say_version();
    return std::move(out_);
  }

 private:
  template <class F>
  F* symbol(const std::string& name) const {
    return reinterpret_cast<F*>(dlsym(handle_, name.c_str()));
  }

  void refuse(size_t i, const std::string& why) {
    if (!out_.kernels[i].runnable) return;
    out_.kernels[i].runnable = false;
    out_.kernels[i].why_not = why;
    out_.functions[i].why_not = why;
  }

  bool ask_score() {
    auto* score = symbol<int()>("ggml_backend_score");
    if (score == nullptr) return false;
    const Attempt asked = attempt([&](const Tell& tell) {
      const int answer = score();
      tell(std::as_bytes(std::span(&answer, 1)));
    });
    int answer = 0;
    if (asked.told.size() != sizeof answer) {
      out_.info.notes.push_back("ggml_backend_score died: " + asked.died);
      return true;
    }
    std::memcpy(&answer, asked.told.data(), sizeof answer);
    out_.info.notes.push_back("ggml_backend_score: " + std::to_string(answer));
    return answer == 0;
  }

  void add(const std::string& name, Op op, const std::string& format, const std::string& acts, int64_t nrows,
           const Function& function) {
    KernelInfo k;
    k.name = name;
    k.via = Via::native;
    k.contract.op = op;
    k.format = format;
    k.acts = acts;
    k.nrows = static_cast<int32_t>(std::clamp<int64_t>(nrows, 1, 2));
    k.contract = contract_of(k);
    k.why_not = why_not_verified(k);
    k.runnable = k.why_not.empty();
    Caller::Entry entry{{}, k.why_not, function};
    entry.kernel.contract = k.contract;
    out_.kernels.push_back(std::move(k));
    out_.functions.push_back(std::move(entry));
  }

  bool has(const Function& f) const {
    return std::any_of(out_.functions.begin(), out_.functions.end(), [&](const Caller::Entry& e) {
      return e.function.vec_dot == f.vec_dot && e.function.to_float == f.to_float &&
             e.function.from_float == f.from_float;
    });
  }

  // The name under which the library exports a function, or words for it.
  template <class F>
  std::string exported(F* f, const std::string& wanted, const std::string& otherwise) const {
    if (symbol<F>(wanted) == f) return wanted;
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(f), &info) != 0 && info.dli_sname != nullptr &&
        info.dli_saddr == reinterpret_cast<void*>(f)) {
      return info.dli_sname;
    }
    return otherwise;
  }

  void from_table(const TypeTable& table) {
    for (const TypeTraits& t : table.types) {
      if (t.name.empty() || t.block_elements == 0) continue;
      if (const auto bytes = block_bytes(t.name); bytes && *bytes != t.block_bytes) {
        out_.info.notes.push_back(t.name + ": its blocks have " + std::to_string(t.block_bytes) +
                                  " bytes, the format known here " + std::to_string(*bytes) +
                                  ": another format of the same name, not verified");
        continue;
      }
      if (t.vec_dot != nullptr) {
        const auto acts = t.vec_dot_type >= 0 && static_cast<size_t>(t.vec_dot_type) < table.types.size()
                              ? table.types[static_cast<size_t>(t.vec_dot_type)].name
                              : "?";
        add(exported(t.vec_dot, "ggml_vec_dot_" + t.name + "_" + acts, t.name + " vec_dot"), Op::vec_dot, t.name, acts,
            t.nrows, {.vec_dot = t.vec_dot});
      }
      if (t.to_float != nullptr) {
        add(exported(t.to_float, "dequantize_row_" + t.name, t.name + " to_float"), Op::to_float, t.name, "", 1,
            {.to_float = t.to_float});
      }
      for (auto* from : {t.from_float, t.from_float_ref}) {
        const Function f{.from_float = from};
        const bool ref = from != t.from_float;
        if (from == nullptr || has(f)) continue;
        add(exported(from, "quantize_row_" + t.name + (ref ? "_ref" : ""),
                     t.name + (ref ? " from_float_ref" : " from_float")),
            Op::from_float, t.name, "", 1, f);
      }
    }
  }

  // bitnet.cpp's product, under its own name: what it computes is for the harness to find out.
  void from_bitnet() {
    const char* name = "ggml_vec_dot_i2_i8_s";
    const Function f{.vec_dot = symbol<tritcheck_vec_dot_fn>(name), .fake_bytes = true};
    if (f.vec_dot != nullptr && !has(f)) {
      add(name, Op::dot, "i2_s", "i8_s", 1, f);
      KernelInfo& k = out_.kernels.back();
      k.role = Role::i2_dot;
      k.contract = contract_of(k);
      k.why_not.clear();
      k.runnable = true;
      out_.functions.back().why_not.clear();
      out_.functions.back().kernel.contract = k.contract;
    }
  }

  // What the tables do not say: the portable twins, and libraries without tables.
  void from_symbols() {
    for (const VecDotPair& pair : vec_dot_pairs()) {
      for (const char* suffix : {"", "_generic"}) {
        const std::string name = "ggml_vec_dot_" + pair.weights + "_" + pair.acts + suffix;
        const Function f{.vec_dot = symbol<tritcheck_vec_dot_fn>(name)};
        if (f.vec_dot != nullptr && !has(f)) add(name, Op::vec_dot, pair.weights, pair.acts, 1, f);
      }
    }
    for (const std::string& grid : grid_names()) {
      const std::string name = "ggml_vec_dot_" + grid + "_q8_K";
      const Function dot{.vec_dot = symbol<tritcheck_vec_dot_fn>(name)};
      if (dot.vec_dot != nullptr && !has(dot)) add(name, Op::vec_dot, grid, "q8_K", 1, dot);
      const Function reader{.to_float = symbol<tritcheck_to_float_fn>("dequantize_row_" + grid)};
      if (reader.to_float != nullptr && !has(reader)) add("dequantize_row_" + grid, Op::to_float, grid, "", 1, reader);
    }
    for (const std::string& acts : act_formats()) {
      const std::string name = "quantize_row_" + acts + "_generic";
      const Function f{.from_float = symbol<tritcheck_from_float_fn>(name)};
      if (f.from_float != nullptr && !has(f)) add(name, Op::from_float, acts, "", 1, f);
    }
  }

  // Without its initialisation most libraries return zeros: seen with one small product before and after.
  void initialise() {
    const std::optional<float> before = smoke(out_);
    if (auto* init = symbol<void()>("ggml_cpu_init")) {
      const std::string where = file_of(reinterpret_cast<const void*>(init));
      const std::string here = file_of(first_function());
      if (!where.empty() && !here.empty() && base_name(where) != base_name(here)) {
        out_.info.notes.push_back("ggml_cpu_init is not its own but that of " + where +
                                  ": if its products are zero, its tables were never filled");
      }
      init();
    } else if (auto* old_init = symbol<void*(InitParameters)>("ggml_init")) {
      void* context = old_init({});
      if (auto* free = symbol<void(void*)>("ggml_free"); free != nullptr && context != nullptr) free(context);
    }
    const std::optional<float> after = smoke(out_);
    if (before == 0.0F && after.value_or(0) != 0) {
      out_.info.notes.push_back("its products are 0 until ggml_cpu_init was called, which was done");
    } else if (after == 0.0F) {
      out_.info.notes.push_back(
          "its products are 0 although it was initialised: are its tables filled by another copy?");
    }
  }

  const void* first_function() const {
    for (const Caller::Entry& e : out_.functions) {
      if (e.function.vec_dot != nullptr) return reinterpret_cast<const void*>(e.function.vec_dot);
    }
    return nullptr;
  }

  void say_version() {
    const auto text = [this](const char* name) -> std::string {
      auto* f = symbol<const char*()>(name);
      return f == nullptr ? "" : f();
    };
    out_.info.version = text("ggml_version");
    if (const std::string commit = text("ggml_commit"); !commit.empty()) {
      out_.info.version += (out_.info.version.empty() ? "commit " : ", commit ") + commit;
    }
  }

  void* handle_ = nullptr;
  LoadedLibrary out_;
};

}  // namespace

LoadedLibrary load_library(const std::string& path) {
  return Loader(path).load();
}

}  // namespace tritcheck
