#include "harness/runner/library/type_table.h"

#include <dlfcn.h>

#include <cctype>
#include <cstring>
#include <functional>

#include "harness/runner/library/attempt.h"

namespace tritcheck {
namespace {

// No table has been longer, ik_llama.cpp's sparse one aside.
constexpr int kMostTypes = 64;
constexpr int kMostTypesOfIk = 400;
constexpr size_t kNone = SIZE_MAX;

/// Where the fields are in an entry: of the table with `base`, or of the second one that newer libraries have.
struct Era {
  const char* words;
  size_t base_entry;
  size_t cpu_entry;  // 0: one table for all
  size_t to_float;
  size_t from_float_ref;
  size_t from_float;
  size_t vec_dot;
  size_t vec_dot_type;
  size_t nrows;
};
constexpr Era kEras[] = {
    {"two tables of types, entries of 56 and 32 bytes (ggml since 2024-12)", 56, 32, 40, 48, 0, 8, 16, 24},
    {"two tables of types, entries of 64 and 56 bytes (ggml of 2024-11)", 64, 56, 40, 56, kNone, 8, 16, 24},
    {"one table of types, entries of 120 bytes (ggml of 2024-07 to 2024-11, BitNet's forks)", 120, 0, 40, 56, 48, 72,
     80, 88},
    {"one table of types by value, 120 bytes (ggml of 2024)", 0, 0, 40, 56, 48, 72, 80, 88},
    {"one table of types by value, 128 bytes (ik_llama.cpp)", 1, 0, 40, 56, 48, 72, 80, 88},
};

using Getter = const void* (*)(int);

// Calls a function that returns a large structure by value, into memory that the caller prepared.
void call_by_value(void* function, void* result, int id) {
#if defined(__x86_64__)
  // the place of the result is a hidden first argument
  reinterpret_cast<void (*)(void*, int)>(function)(result, id);
#elif defined(__aarch64__)
  // the place of the result is in x8
  asm volatile("mov x8, %0\n\tmov w0, %w1\n\tblr %2"
               :
               : "r"(result), "r"(id), "r"(function)
               : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
                 "x16", "x17", "x30", "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17",
                 "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
#endif
}

template <class T>
T field(const std::byte* entry, size_t at) {
  T value{};
  if (at != kNone) std::memcpy(&value, entry + at, sizeof value);
  return value;
}

// The text there, if it can be a name of a type: short, printable. An empty one for a null pointer.
std::optional<std::string> name_at(const char* at) {
  if (at == nullptr) return "";
  std::string name;
  constexpr size_t kLongest = 64;
  const size_t there = readable_from(at, kLongest);
  while (name.size() < there) {
    const char c = at[name.size()];
    if (c == '\0') return name;
    if (std::isprint(static_cast<unsigned char>(c)) == 0) return std::nullopt;
    name += c;
  }
  return std::nullopt;
}

// One entry, or nothing if it cannot be one.
std::optional<TypeTraits> read_entry(const Era& era, int id, const std::byte* base, const std::byte* cpu) {
  TypeTraits t;
  t.id = id;
  const auto name = name_at(field<const char*>(base, 0));
  if (!name) return std::nullopt;
  t.name = *name;
  t.block_elements = field<int64_t>(base, 8);
  t.block_bytes = field<size_t>(base, 24);
  if (t.block_elements < 0 || t.block_elements > 65536 || t.block_bytes > 65536) return std::nullopt;
  t.to_float = field<tritcheck_to_float_fn*>(base, era.to_float);
  t.from_float_ref = field<tritcheck_from_float_fn*>(base, era.from_float_ref);
  // in the era of two tables that are unlike, from_float was still in the first
  t.from_float = field<tritcheck_from_float_fn*>(era.from_float == kNone ? base : cpu,
                                                 era.from_float == kNone ? size_t{48} : era.from_float);
  t.vec_dot = field<tritcheck_vec_dot_fn*>(cpu, era.vec_dot);
  t.vec_dot_type = field<int32_t>(cpu, era.vec_dot_type);
  t.nrows = field<int64_t>(cpu, era.nrows);
  return t;
}

// How many entries make sense: asked in a child, since a getter of a debug build aborts behind the last one.
int count(int most, const std::function<bool(int)>& sane) {
  const Attempt asked = attempt([&](const Tell& tell) {
    for (int id = 0; id < most && sane(id); ++id) tell(std::as_bytes(std::span(&id, 1)));
  });
  return static_cast<int>(asked.told.size() / sizeof(int));
}

}  // namespace

std::optional<TypeTable> read_type_table(void* library, std::string& note) {
  const auto base = reinterpret_cast<Getter>(dlsym(library, "ggml_get_type_traits"));
  const auto cpu = reinterpret_cast<Getter>(dlsym(library, "ggml_get_type_traits_cpu"));
  void* by_value = dlsym(library, "ggml_internal_get_type_traits");
  const Era* era = nullptr;
  std::function<std::optional<TypeTraits>(int)> read;
  int most = kMostTypes;
  if (base != nullptr) {
    const auto distance = [](Getter getter) {
      return static_cast<size_t>(static_cast<const std::byte*>(getter(1)) - static_cast<const std::byte*>(getter(0)));
    };
    const size_t base_entry = distance(base);
    const size_t cpu_entry = cpu == nullptr ? 0 : distance(cpu);
    for (const Era& e : kEras) {
      if (e.base_entry == base_entry && e.cpu_entry == cpu_entry) era = &e;
    }
    if (era == nullptr) {
      note = "its tables of types have entries of " + std::to_string(base_entry) + " and " + std::to_string(cpu_entry) +
             " bytes: an era that is not known here";
      return std::nullopt;
    }
    read = [base, cpu, era](int id) -> std::optional<TypeTraits> {
      const auto* first = static_cast<const std::byte*>(base(id));
      const auto* second = cpu == nullptr ? first : static_cast<const std::byte*>(cpu(id));
      if (!readable(first, era->base_entry) || (cpu != nullptr && !readable(second, era->cpu_entry)))
        return std::nullopt;
      return read_entry(*era, id, first, second);
    };
  } else if (by_value != nullptr) {
    alignas(16) std::byte entry[512];
    std::memset(entry, 0x5A, sizeof entry);
    call_by_value(by_value, entry, 0);
    size_t written = sizeof entry;
    while (written > 0 && entry[written - 1] == std::byte{0x5A}) --written;
    written = (written + 7) / 8 * 8;
    if (written != 120 && written != 128) {
      note = "ggml_internal_get_type_traits returns " + std::to_string(written) +
             " bytes: older than July 2024, or an era that is not known here";
      return std::nullopt;
    }
    era = written == 120 ? &kEras[3] : &kEras[4];
    if (written == 128) most = kMostTypesOfIk;
    read = [by_value, era](int id) {
      alignas(16) std::byte one[512];
      std::memset(one, 0, sizeof one);
      call_by_value(by_value, one, id);
      return read_entry(*era, id, one, one);
    };
  } else {
    note = cpu != nullptr ? "it has ggml_get_type_traits_cpu, but ggml_get_type_traits is nowhere: is its libggml-base "
                            "missing?"
                          : "no table of types (ggml_get_type_traits)";
    return std::nullopt;
  }
  TypeTable table;
  table.abi = era->words;
  const int types = count(most, [&](int id) { return read(id).has_value(); });
  for (int id = 0; id < types; ++id) table.types.push_back(*read(id));
  return table;
}

}  // namespace tritcheck
