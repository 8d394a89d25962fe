// The catalogue of diagnoses against the museum, the docs page against both, and `explain` as a user meets it.
//
// docs/museum.md is generated: TRITCHECK_UPDATE_DOCS=1 bin/catalog_test writes it anew.
#include "harness/diagnose/catalog/catalog.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "corpora/bugs/bugs.h"
#include "harness/verify/verify.h"

namespace tritcheck {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Diagnoses no museum kernel stands for, and why.
const std::map<std::string_view, std::string_view> kWithoutBug = {
    {"unknown", "a bug with a name cannot stand for the lack of one"},
    {"nondeterministic", "the museum must fail the same way every time"},
    {"vl-assumption", "needs a CPU with vectors of several lengths: shown by real libraries on emulated ones"},
};

/// A function of the plug-in museum, corpora/block_bugs; one that is right has no diagnosis.
struct BlockBug {
  std::string_view name;
  std::string_view format;
  std::string_view op;
  const char* diagnosis;
  std::string_view summary;
};
#define BLOCK(name, format, op, diagnosis, summary) {#name, format, #op, diagnosis, summary},
#define BLOCK_THAT_NEEDS(name, format, op, needs, diagnosis, summary) {#name, format, #op, diagnosis, summary},
#define BLOCK_OF_TWO_ROWS(name, format, op, diagnosis, summary) {#name, format, #op, diagnosis, summary},
#define I2_S(name, result, diagnosis, summary) {#name, "i2_s", "dot", diagnosis, summary},
constexpr BlockBug kBlockMuseum[] = {
#include "corpora/block_bugs/block_bugs.inc"
};
#undef BLOCK
#undef BLOCK_THAT_NEEDS
#undef BLOCK_OF_TWO_ROWS
#undef I2_S

TEST(Catalog, NamesAreUniqueAndPlain) {
  std::set<std::string_view> names;
  for (const CatalogEntry& entry : catalog()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(entry.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string_view::npos);
    EXPECT_EQ(find_diagnosis(entry.name), &entry);
  }
}

TEST(Catalog, NoTextIsMissing) {
  for (const CatalogEntry& entry : catalog()) {
    for (std::string_view text : {entry.what, entry.shows, entry.seen, entry.fix}) {
      ASSERT_FALSE(text.empty()) << entry.name;
      EXPECT_EQ(text.back(), '.') << entry.name << ": " << text;
      EXPECT_EQ(text.find('\n'), std::string_view::npos) << entry.name;
    }
    EXPECT_FALSE(entry.title.empty() || entry.families.empty()) << entry.name;
    // a source is a repository and a number, or there is none
    EXPECT_TRUE(entry.seen.starts_with("Not reported") || entry.seen.find('#') != std::string_view::npos ||
                entry.name == "unknown")
        << entry.name;
  }
}

TEST(Catalog, EveryBugHasAnEntryAndEveryEntryABug) {
  std::set<std::string_view> shown;
  for (const Bug& bug : bugs()) {
    EXPECT_NE(find_diagnosis(bug.diagnosis), nullptr) << bug.kernel.name << ": " << bug.diagnosis;
    shown.insert(bug.diagnosis);
  }
  for (const BlockBug& bug : kBlockMuseum) {
    if (bug.diagnosis == nullptr) continue;
    EXPECT_NE(find_diagnosis(bug.diagnosis), nullptr) << bug.name << ": " << bug.diagnosis;
    shown.insert(bug.diagnosis);
  }
  for (const CatalogEntry& entry : catalog()) {
    EXPECT_NE(shown.contains(entry.name), kWithoutBug.contains(entry.name)) << entry.name;
  }
  for (const auto& [name, reason] : kWithoutBug) EXPECT_NE(find_diagnosis(name), nullptr) << name;
}

TEST(Museum, NamesAreUniqueSymbolsAndSummariesOneLine) {
  std::set<std::string_view> names;
  for (const Bug& bug : bugs()) {
    EXPECT_TRUE(names.insert(bug.kernel.name).second) << bug.kernel.name;
    EXPECT_TRUE(bug.kernel.name.starts_with("bug_")) << bug.kernel.name;
    EXPECT_FALSE(bug.summary.empty() || bug.summary.find_first_of("\n|") != std::string_view::npos) << bug.kernel.name;
  }
  for (const BlockBug& bug : kBlockMuseum) {
    EXPECT_TRUE(names.insert(bug.name).second) << bug.name;
    EXPECT_FALSE(bug.summary.empty() || bug.summary.find_first_of("\n|") != std::string_view::npos) << bug.name;
    EXPECT_EQ(bug.diagnosis == nullptr, bug.summary.starts_with("right")) << bug.name;
  }
}

TEST(Museum, EveryFormatOfTheBlockMuseumHasARightFunctionToo) {
  std::set<std::pair<std::string_view, std::string_view>> right;
  for (const BlockBug& bug : kBlockMuseum) {
    if (bug.diagnosis == nullptr) right.emplace(bug.format, bug.op);
  }
  for (const BlockBug& bug : kBlockMuseum) EXPECT_TRUE(right.contains({bug.format, bug.op})) << bug.name;
}

TEST(Explain, PrintsThePageInShortLines) {
  for (const CatalogEntry& entry : catalog()) {
    const std::string page = explain_text(entry.name);
    EXPECT_THAT(page, AllOf(HasSubstr(fmt::format("{}: {}\n", entry.name, entry.title)), HasSubstr("How to fix it\n")));
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
    // no word of a text is lost at a line break
    std::istringstream words{std::string(entry.what)};
    for (std::string word; words >> word;) EXPECT_THAT(page, HasSubstr(word)) << entry.name;
  }
}

TEST(Explain, SuggestsNamesForASlip) {
  EXPECT_THAT(similar_diagnoses("int16-overfow"), Contains("int16-overflow"));
  EXPECT_EQ(similar_diagnoses("int16-overfow").front(), "int16-overflow");
  EXPECT_THAT(similar_diagnoses("stride"), ElementsAre("row-stride", "act-stride", "out-stride"));
  EXPECT_THAT(similar_diagnoses("zzzzzzzzzzzz"), IsEmpty());
}

std::string message_for(std::string_view name) {
  try {
    explain_text(name);
  } catch (const UserError& e) {
    EXPECT_EQ(e.code(), kExitUsage);
    return e.what();
  }
  return "";
}

TEST(Explain, UnknownNameIsAUsageErrorOfOneLine) {
  EXPECT_THAT(message_for("offset-twise"), HasSubstr("did you mean offset-twice"));
  EXPECT_THAT(message_for("zzzzzzzzzzzz"), AllOf(HasSubstr("there are"), HasSubstr("layout-block-size")));
  EXPECT_EQ(message_for("zzzzzzzzzzzz").find('\n'), std::string::npos);
}

std::string museum_page() {
  std::string out =
      "# The bug museum\n\n"
      "Broken kernels, each a re-creation in our own code of a mistake that was reported in public or is easily made.\n"
      "Apart from the one defect named here each of them is right for every input its contract allows, and a run must\n"
      "find exactly that name. The sources are in `corpora/bugs`; `tritcheck verify --bugs NAME` shows a catch and\n"
      "`tritcheck explain DIAGNOSIS` tells where a mistake was seen and how to fix it.\n\n"
      "This page is generated from `corpora/bugs/bugs.inc`, `corpora/block_bugs/block_bugs.inc` and the two files of\n"
      "`harness/diagnose/catalog_*entries.cpp` by `TRITCHECK_UPDATE_DOCS=1 bin/catalog_test`, and a test compares "
      "it.\n\n"
      "## Kernels of I2_S\n\n"
      "| kernel | ISA | operation | layout | diagnosis | what is wrong |\n|---|---|---|---|---|---|\n";
  for (const Bug& bug : bugs()) {
    const Contract& c = bug.kernel.contract;
    out += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", bug.kernel.name, name(bug.kernel.isa), name(c.op),
                       i2_s::name(c.layout), bug.diagnosis, bug.summary);
  }
  out +=
      "\n## Functions on ggml's blocks\n\n"
      "A plug-in, `libexec/tritcheck/ARCH/tritcheck-block-museum.so`, with sources in `corpora/block_bugs`:\n"
      "`tritcheck verify --lib FILE` runs them all, and must find these names; `tritcheck verify --lib FILE NAME` "
      "shows\n"
      "one catch. The first twenty are the mistakes with which ggml's own test of quantised dot products was measured "
      "in\n"
      "2026-08; it passes thirteen of them.\n\n"
      "| function | operation | format | diagnosis | what is wrong |\n|---|---|---|---|---|\n";
  std::vector<std::string> right;
  for (const BlockBug& bug : kBlockMuseum) {
    if (bug.diagnosis == nullptr) {
      right.push_back(fmt::format("`{}`", bug.name));
    } else {
      out += fmt::format("| `{}` | {} | {} | {} | {} |\n", bug.name, bug.op, bug.format, bug.diagnosis, bug.summary);
    }
  }
  out +=
      fmt::format("\nBeside them are {} right functions, which must pass: {}.\n", right.size(), fmt::join(right, ", "));
  out += "\n## Diagnoses\n\n| name | meaning | found by probe families | seen in the wild |\n|---|---|---|---|\n";
  for (const CatalogEntry& entry : catalog()) {
    out += fmt::format("| {} | {} | {} | {} |\n", entry.name, entry.title, entry.families, entry.seen);
  }
  out += "\nNo museum kernel stands for these:\n\n";
  for (const auto& [name, reason] : kWithoutBug) out += fmt::format("* {}: {}\n", name, reason);
  return out;
}

TEST(Docs, MuseumPageIsCurrent) {
  const std::string path = TRITCHECK_SOURCE_DIR "/docs/museum.md";
  if (std::getenv("TRITCHECK_UPDATE_DOCS") != nullptr) {
    std::ofstream out(path);
    out << museum_page();
    ASSERT_TRUE(out.good()) << path;
  }
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  EXPECT_EQ(text.str(), museum_page()) << "docs/museum.md is stale; write it anew with TRITCHECK_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace tritcheck
