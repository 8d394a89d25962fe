#include "harness/diagnose/catalog/catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/match.h"
#include "harness/diagnose/catalog/catalog_lists.h"

namespace tritcheck {
namespace {

constexpr size_t kColumns = 100;
constexpr size_t kIndent = 2;

// Breaks one long line at spaces and indents the pieces.
std::string wrapped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t end = text.size();
    if (end > kColumns - kIndent) {
      end = text.rfind(' ', kColumns - kIndent);
      if (end == std::string_view::npos) end = std::min(text.find(' '), text.size());
    }
    out += fmt::format("{:{}}{}\n", "", kIndent, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

std::span<const CatalogEntry> catalog() {
  static const std::vector<CatalogEntry> all = [] {
    std::vector<CatalogEntry> out;
    for (const CatalogEntry& entry : common_entries()) {
      // scales before memory
      if (entry.name == "unwritten") out.insert(out.end(), block_entries().begin(), block_entries().end());
      out.push_back(entry);
    }
    return out;
  }();
  return all;
}

const CatalogEntry* find_diagnosis(std::string_view name) {
  const auto found = std::ranges::find(catalog(), name, &CatalogEntry::name);
  return found == catalog().end() ? nullptr : &*found;
}

std::vector<std::string> similar_diagnoses(std::string_view name) {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : catalog()) names.emplace_back(entry.name);
  return closest(name, names);
}

std::string explain_text(std::string_view name) {
  const CatalogEntry* entry = find_diagnosis(name);
  if (entry == nullptr) {
    std::vector<std::string> names = similar_diagnoses(name);
    const bool guess = !names.empty();
    for (const CatalogEntry& one : catalog()) {
      if (!guess) names.emplace_back(one.name);
    }
    throw UserError(kExitUsage, fmt::format("no diagnosis is called '{}'; {} {}", name,
                                            guess ? "did you mean" : "there are", fmt::join(names, ", ")));
  }
  return fmt::format(
      "{}: {}\n\nWhat it is\n{}\nHow it shows\n{}\nSeen in the wild\n{}\nHow to fix it\n{}\nFound by\n{}", entry->name,
      entry->title, wrapped(entry->what), wrapped(entry->shows), wrapped(entry->seen), wrapped(entry->fix),
      wrapped(entry->families));
}

}  // namespace tritcheck
