// docs/bug-classes.md: every broken kernel and every diagnosis it names exists, and every diagnosis of the museums is
// in it.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "corpora/bugs/bugs.h"
#include "harness/diagnose/catalog/catalog.h"
#include "tests/temp_folder.h"

namespace tritcheck {
namespace {

std::set<std::string> museum_names() {
  std::set<std::string> names;
  for (const Bug& bug : bugs()) names.emplace(bug.kernel.name);
  // the registry of the plug-in, which is not linked into the tests
  const std::string registry =
      testing::contents(std::string(TRITCHECK_SOURCE_DIR) + "/corpora/block_bugs/block_bugs.inc");
  const std::regex entry(R"(\(\s*([A-Za-z0-9_]+),)");
  for (auto it = std::sregex_iterator(registry.begin(), registry.end(), entry); it != std::sregex_iterator(); ++it) {
    names.insert((*it)[1]);
  }
  return names;
}

struct Row {
  std::string kind;
  std::vector<std::string> kernels;
  std::vector<std::string> diagnoses;
};

std::vector<Row> rows() {
  std::ifstream page(std::string(TRITCHECK_SOURCE_DIR) + "/docs/bug-classes.md");
  std::vector<Row> out;
  for (std::string line; std::getline(page, line);) {
    std::istringstream cells(line);
    std::string empty, kind, kernels, diagnoses;
    std::getline(cells, empty, '|');
    if (!std::getline(cells, kind, '|') || !std::getline(cells, kernels, '|')) continue;
    std::getline(cells, diagnoses, '|');
    Row row;
    std::istringstream(kind) >> row.kind;
    if (row.kind == "class" || row.kind == "---") continue;
    const std::regex name("`((bug|tq|q|i2_s|iq|mxfp|nvfp)[A-Za-z0-9_]*)`");
    for (auto it = std::sregex_iterator(kernels.begin(), kernels.end(), name); it != std::sregex_iterator(); ++it) {
      row.kernels.push_back((*it)[1]);
    }
    std::istringstream words(diagnoses);
    for (std::string word; words >> word;) {
      if (word.back() == ',') word.pop_back();
      row.diagnoses.push_back(word);
    }
    out.push_back(std::move(row));
  }
  return out;
}

TEST(BugClasses, EveryNameExists) {
  const std::set<std::string> known = museum_names();
  ASSERT_GT(known.size(), 100U);
  int named = 0;
  for (const Row& row : rows()) {
    for (const std::string& kernel : row.kernels) {
      EXPECT_TRUE(known.contains(kernel)) << row.kind << ": " << kernel;
      ++named;
    }
    for (const std::string& d : row.diagnoses) EXPECT_NE(find_diagnosis(d), nullptr) << row.kind << ": " << d;
  }
  EXPECT_GT(named, 60);
}

TEST(BugClasses, EveryClassIsThereOnceAndHasSomething) {
  std::set<std::string> kinds;
  for (const Row& row : rows()) EXPECT_TRUE(kinds.insert(row.kind).second) << row.kind;
  EXPECT_EQ(kinds.size(), 44U);
}

}  // namespace
}  // namespace tritcheck
