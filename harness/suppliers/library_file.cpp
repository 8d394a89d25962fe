#include "harness/suppliers/library_file.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "harness/base/error.h"
#include "harness/base/mapped_file.h"

namespace tritcheck {
namespace {

namespace fs = std::filesystem;

std::string machine(uint16_t id) {
  switch (id) {
    case EM_X86_64:
      return "x86_64";
    case EM_AARCH64:
      return "aarch64";
    case EM_386:
      return "i386";
    case EM_ARM:
      return "arm";
    case EM_RISCV:
      return "riscv";
    default:
      return fmt::format("ELF machine {}", id);
  }
}

// A structure at a place of the file, if it is all there.
template <class T>
std::optional<T> at(std::span<const uint8_t> bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

bool known_symbol(std::string_view name) {
  return name.starts_with("ggml_vec_dot_") || name == "ggml_get_type_traits_cpu" ||
         name == "ggml_internal_get_type_traits" || name == "tritcheck_plugin";
}

// Whether one of the dynamic symbols that the file defines is known.
bool exports_known(std::span<const uint8_t> bytes, const Elf64_Ehdr& header) {
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto section = at<Elf64_Shdr>(bytes, header.e_shoff + uint64_t{i} * sizeof(Elf64_Shdr));
    if (!section || section->sh_type != SHT_DYNSYM) continue;
    const auto names = at<Elf64_Shdr>(bytes, header.e_shoff + uint64_t{section->sh_link} * sizeof(Elf64_Shdr));
    if (!names) return false;
    for (uint64_t s = 0; s + sizeof(Elf64_Sym) <= section->sh_size; s += sizeof(Elf64_Sym)) {
      const auto symbol = at<Elf64_Sym>(bytes, section->sh_offset + s);
      if (!symbol || symbol->st_shndx == SHN_UNDEF) continue;
      const uint64_t from = names->sh_offset + symbol->st_name;
      if (from >= bytes.size()) continue;
      const auto* text = reinterpret_cast<const char*>(bytes.data() + from);
      if (known_symbol({text, strnlen(text, bytes.size() - from)})) return true;
    }
  }
  return false;
}

}  // namespace

LibraryFile look_at(const std::string& path) {
  LibraryFile out;
  out.path = path;
  out.label = fs::path(path).filename();
  try {
    const MappedFile file(path);
    const auto bytes = file.bytes();
    const auto header = at<Elf64_Ehdr>(bytes, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
      out.problem = "not a shared library (no ELF file)";
    } else if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB) {
      out.problem = "not a 64-bit little-endian library";
    } else if (header->e_type != ET_DYN) {
      out.problem = "not a shared library (another kind of ELF file)";
    } else if (header->e_shoff + uint64_t{header->e_shnum} * header->e_shentsize > bytes.size()) {
      out.damaged = true;
      out.problem = "damaged: the file ends before its table of sections";
    } else {
      out.arch = machine(header->e_machine);
      out.promising = exports_known(bytes, *header);
    }
  } catch (const UserError& e) {
    out.problem = e.what();
  }
  return out;
}

std::vector<LibraryFile> find_libraries(const std::vector<std::string>& paths) {
  std::vector<LibraryFile> out;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::exists(path, error)) throw UserError(kExitBadFile, fmt::format("--lib {}: no such file or folder", path));
    if (!fs::is_directory(path, error)) {
      // the loader takes a name without a slash for one to search
      out.push_back(look_at(fs::absolute(path)));
      continue;
    }
    std::vector<std::string> files;
    std::set<fs::path> real;  // libw.so -> libw.so.0 -> libw.so.0.9.4 is one library
    for (const auto& entry : fs::directory_iterator(path, error)) {
      const std::string name = entry.path().filename();
      if (entry.is_regular_file() && name.find(".so") != std::string::npos) files.push_back(fs::absolute(entry.path()));
    }
    std::sort(files.begin(), files.end());
    std::erase_if(files, [&](const std::string& f) { return !real.insert(fs::canonical(f, error)).second; });
    size_t usable = 0;
    for (const std::string& file : files) {
      LibraryFile one = look_at(file);
      if (one.promising) ++usable;
      one.by_folder = true;
      // one that may have been promising is a line of the report, a text or a library of something else is not
      if (one.promising || one.damaged) out.push_back(std::move(one));
    }
    if (usable == 0) {
      throw UserError(kExitBadFile, fmt::format("--lib {}: none of the {} files named *.so* in this folder exports "
                                                "ggml_vec_dot_*, a table of ggml's types or tritcheck_plugin",
                                                path, files.size()));
    }
  }
  std::map<std::string, int> labels;
  for (const LibraryFile& f : out) ++labels[f.label];
  for (LibraryFile& f : out) {
    if (labels[f.label] > 1) f.label = f.path;
  }
  std::map<std::string, int> seen;
  for (LibraryFile& f : out) {
    if (const int n = ++seen[f.label]; n > 1) f.label += fmt::format(" ({})", n);
  }
  return out;
}

}  // namespace tritcheck
