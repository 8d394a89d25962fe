#include "harness/diagnose/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "harness/verify.h"

namespace tritcheck {
namespace {

constexpr size_t kColumns = 100;
constexpr size_t kIndent = 2;

// Levenshtein distance, one row of the table at a time.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t substitute = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substitute, row[j + 1] + 1, row[j] + 1});
    }
  }
  return row.back();
}

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

const CatalogEntry* find_diagnosis(std::string_view name) {
  const auto found = std::ranges::find(catalog(), name, &CatalogEntry::name);
  return found == catalog().end() ? nullptr : &*found;
}

std::vector<std::string> similar_diagnoses(std::string_view name) {
  std::vector<std::pair<size_t, std::string>> close;
  for (const CatalogEntry& entry : catalog()) {
    // part of a name ("overflow", "stride") is as good as a slip or two
    const bool part = name.size() >= 3 && entry.name.find(name) != std::string_view::npos;
    const size_t distance = part ? 1 : edit_distance(name, entry.name);
    if (distance <= std::max<size_t>(2, entry.name.size() / 3)) close.emplace_back(distance, entry.name);
  }
  std::ranges::stable_sort(close, {}, &std::pair<size_t, std::string>::first);
  std::vector<std::string> names;
  for (const auto& [distance, one] : close) {
    if (names.size() < 3) names.push_back(one);
  }
  return names;
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
