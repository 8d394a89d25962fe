// The names tritcheck can give to a fault, and what to tell a person about each: `tritcheck explain NAME`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tritcheck {

/// One diagnosis. All texts are plain sentences on one line; explain_text breaks them.
struct CatalogEntry {
  std::string_view name;      ///< "int16-overflow": what reports print and the museum promises
  std::string_view title;     ///< one line
  std::string_view what;      ///< the mistake, two to four sentences
  std::string_view shows;     ///< what a user of the kernel notices
  std::string_view seen;      ///< repositories and issue numbers, or "Not reported publicly."
  std::string_view fix;       ///< what to change
  std::string_view families;  ///< probe families that expose it, "F1, F3"; "any" if every call does
};

/// Every diagnosis, in the order in which they are taught: packing, values, parts of the row, strides, scales, memory,
/// process.
std::span<const CatalogEntry> catalog();

/// The entry of that name, or null.
const CatalogEntry* find_diagnosis(std::string_view name);

/// At most three names close to a mistyped one, best first; empty if nothing is close.
std::vector<std::string> similar_diagnoses(std::string_view name);

/// The page `tritcheck explain` prints, lines of at most 100 columns, with a newline at the end.
/// Throws UserError(kExitUsage) for an unknown name; the message suggests the closest ones.
std::string explain_text(std::string_view name);

}  // namespace tritcheck
