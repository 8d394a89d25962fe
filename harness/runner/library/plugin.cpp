#include "harness/runner/library/plugin.h"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <optional>
#include <set>

#include "harness/cases/formats.h"
#include "harness/runner/channel.h"
#include "harness/runner/library/attempt.h"
#include "kernels/features.h"

namespace tritcheck {
namespace {

constexpr uint64_t kMostKernels = 10000;
constexpr size_t kLongestText = 500;

[[noreturn]] void refuse(const std::string& what) {
  fail("not a plug-in that can be used: " + what + " (include/tritcheck/kernel.h)");
}

// A text of the plug-in; empty for null.
std::string text_at(const char* at, const std::string& what) {
  std::string out;
  if (at == nullptr) return out;
  const size_t there = readable_from(at, kLongestText + 1);
  while (out.size() <= kLongestText) {
    if (out.size() == there) refuse(what + " points to memory that is not there");
    const char c = at[out.size()];
    if (c == '\0') return out;
    if (std::isprint(static_cast<unsigned char>(c)) == 0) refuse(what + " holds bytes that are no plain text");
    out += c;
  }
  refuse(what + " is longer than " + std::to_string(kLongestText) + " bytes");
}

template <class Enum, size_t N>
std::optional<Enum> named(const Enum (&all)[N], const std::string& text) {
  for (const Enum e : all) {
    if (name(e) == text) return e;
  }
  return std::nullopt;
}

// One kernel's fields as the harness wants them. `why_not` gets what stands against running it.
class Reader {
 public:
  Reader(const tritcheck_kernel& k, const std::string& who) : k_(k), who_(who) {}

  KernelInfo read() {
    info_.name = text("name", k_.name);
    const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-'; };
    if (info_.name.empty() || !std::all_of(info_.name.begin(), info_.name.end(), plain)) {
      refuse(who_ + ": name '" + info_.name + "' is empty or holds other characters than letters, digits, _ . -");
    }
    who_ = info_.name;
    info_.via = Via::native;
    info_.format = text("format", k_.format);
    info_.needs = text("needs", k_.needs);
    info_.diagnosis = text("diagnosis", k_.diagnosis);
    info_.summary = text("summary", k_.summary);
    info_.is_bug = !info_.diagnosis.empty();
    if (k_.function == nullptr) refuse(who_ + ": function is null");
    const std::string op = text("op", k_.op);
    if (info_.format == "i2_s") {
      i2_s_kernel(op);
    } else {
      block_function(op);
    }
    limits();
    if (info_.why_not.empty()) info_.why_not = why_not(info_.needs, detect());
    info_.runnable = info_.why_not.empty();
    return info_;
  }

 private:
  std::string text(const char* field, const char* value) const { return text_at(value, who_ + ": " + field); }

  void i2_s_kernel(const std::string& op) {
    constexpr Op ops[] = {Op::dot, Op::rows, Op::acts, Op::gemv};
    const auto known_op = named(ops, op);
    if (!known_op) refuse(who_ + ": op '" + op + "' of format i2_s; it is dot, rows, acts or gemv");
    const std::string layout = text("layout", k_.layout);
    const auto known_layout = i2_s::layout_of(layout);
    if (!known_layout) refuse(who_ + ": layout '" + layout + "'; it is x86_128, arm_64, rows_1x4 or linear");
    info_.contract = i2_s_contract(*known_op, *known_layout);
    const std::string result = text("result", k_.result);
    if (result == "centred" && *known_op != Op::gemv) {
      info_.contract.result = Result::centred;
    } else if (!result.empty() && result != name(info_.contract.result)) {
      refuse(who_ + ": result '" + result + "'; it is raw or centred, and scaled for a gemv");
    }
  }

  void block_function(const std::string& op) {
    constexpr Op ops[] = {Op::vec_dot, Op::to_float, Op::from_float};
    const auto known = named(ops, op);
    if (!known) refuse(who_ + ": op '" + op + "'; for blocks it is vec_dot, to_float or from_float");
    info_.contract.op = *known;
    if (*known == Op::vec_dot) info_.acts = acts_beside(info_.format);
    if (k_.nrows < 0 || k_.nrows > 2) refuse(who_ + ": nrows is 0, 1 or 2");
    info_.nrows = std::max(1, k_.nrows);
    info_.contract = contract_of(info_);
    info_.why_not = why_not_verified(info_);
  }

  template <class T, class Field>
  void take(const char* field, T value, T low, T high, Field& to) {
    if (value == 0) return;
    if (value < low || value > high) {
      refuse(who_ + ": " + field + " = " + std::to_string(value) + " is not from " + std::to_string(low) + " to " +
             std::to_string(high));
    }
    to = value;
  }

  void limits() {
    Contract& c = info_.contract;
    const int64_t implied = c.k_multiple;
    take<int64_t>("k_multiple", k_.k_multiple, 1, 1 << 20, c.k_multiple);
    if (c.k_multiple % implied != 0) {
      refuse(who_ + ": k_multiple is not a multiple of the format's " + std::to_string(implied));
    }
    take<int64_t>("k_max", k_.k_max, c.k_multiple, 1 << 24, c.k_max);
    take<int64_t>("row_multiple", k_.row_multiple, 1, 1024, c.row_multiple);
    take("q_min", k_.q_min, -128, -1, c.q_min);
    take("max_code", k_.max_code, 1, 3, c.max_code);
    take("align_w", k_.align_w, 1, 4096, c.align_w);
    take("align_q", k_.align_q, 1, 4096, c.align_q);
    take("align_out", k_.align_out, 4, 4096, c.align_out);
    take("overread_w", k_.overread_w, 0, 4096, c.overread_w);
    take("overread_q", k_.overread_q, 0, 4096, c.overread_q);
    for (const int align : {c.align_w, c.align_q, c.align_out}) {
      if ((align & (align - 1)) != 0) refuse(who_ + ": an alignment is not a power of two");
    }
  }

  const tritcheck_kernel& k_;
  std::string who_;
  KernelInfo info_;
};

// As the kernel's own kind of pointer.
Caller::Entry entry_of(const KernelInfo& info, tritcheck_function* f) {
  Caller::Entry e{{}, info.why_not, {}};
  e.kernel.contract = info.contract;
  switch (info.contract.op) {
    case Op::gemv:
      e.kernel.gemv = reinterpret_cast<tritcheck_gemv_fn*>(f);
      break;
    case Op::dot:
    case Op::rows:
    case Op::acts:
      e.kernel.dot = reinterpret_cast<tritcheck_dot_fn*>(f);
      break;
    case Op::vec_dot:
      e.function.vec_dot = reinterpret_cast<tritcheck_vec_dot_fn*>(f);
      break;
    case Op::to_float:
      e.function.to_float = reinterpret_cast<tritcheck_to_float_fn*>(f);
      break;
    case Op::from_float:
      e.function.from_float = reinterpret_cast<tritcheck_from_float_fn*>(f);
      break;
  }
  return e;
}

}  // namespace

bool read_plugin(void* library, LibraryInfo& info, std::vector<KernelInfo>& kernels,
                 std::vector<Caller::Entry>& functions) {
  using Entry = const tritcheck_plugin_info*();
  auto* plugin = reinterpret_cast<Entry*>(dlsym(library, "tritcheck_plugin"));
  if (plugin == nullptr) return false;
  const Attempt asked = attempt([&](const Tell& tell) {
    const auto* answer = plugin();
    tell(std::as_bytes(std::span(&answer, 1)));
  });
  if (asked.told.size() != sizeof(void*)) fail("tritcheck_plugin() did not return: " + asked.died, kExitDied);
  const tritcheck_plugin_info* said = plugin();
  if (said == nullptr) refuse("tritcheck_plugin() returns null");
  if (!readable(said, sizeof *said)) refuse("tritcheck_plugin() returns an address where nothing is");
  if (said->abi_version != TRITCHECK_ABI_VERSION) {
    refuse("it was built for version " + std::to_string(said->abi_version) + " of the interface, this is version " +
           std::to_string(TRITCHECK_ABI_VERSION) + ": build it again with the kernel.h of this tritcheck");
  }
  // the fields up to `function` are needed; whatever lies beyond an older plug-in's structure is zero
  constexpr size_t kLeast = offsetof(tritcheck_kernel, k_multiple);
  if (said->kernel_size < kLeast || said->kernel_size > 4096 || said->count > kMostKernels) {
    refuse("its list has " + std::to_string(said->count) + " kernels of " + std::to_string(said->kernel_size) +
           " bytes each");
  }
  if (!readable(said->kernels, said->count * said->kernel_size)) refuse("its list of kernels is not there");
  info.abi = "plug-in, version " + std::to_string(said->abi_version) + " of the interface";
  info.version = text_at(said->version, "version");
  std::set<std::string> names;
  for (uint64_t i = 0; i < said->count; ++i) {
    tritcheck_kernel k{};
    std::memcpy(&k, reinterpret_cast<const std::byte*>(said->kernels) + i * said->kernel_size,
                std::min<size_t>(said->kernel_size, sizeof k));
    kernels.push_back(Reader(k, "kernel " + std::to_string(i)).read());
    if (!names.insert(kernels.back().name).second) refuse("two kernels have the name " + kernels.back().name);
    functions.push_back(entry_of(kernels.back(), k.function));
  }
  return true;
}

}  // namespace tritcheck
