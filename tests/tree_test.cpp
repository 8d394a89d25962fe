// ci/check-tree on small trees with one mistake each: what the rules of the tree are worth is what they refuse.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "tests/shell.h"
#include "tests/temp_folder.h"

namespace tritcheck::testing {
namespace {

using ::testing::HasSubstr;

using Tree = std::map<std::string, std::string>;

const Tree kRight{{"harness/layers.txt", "# the order\nlow   first\nhigh  second\n"},
                  {"harness/low/a.h", "#include \"reference/numbers.h\"\n"},
                  {"harness/low/b.h", "#include \"harness/low/a.h\"\n"},
                  {"harness/high/c.cpp", "#include <string>\n#include \"harness/low/b.h\"\n"},
                  {"reference/numbers.h", "#include <cstdint>\n"}};

/// What ci/check-tree says of the right tree with `changes`.
Ran check(const Tree& changes) {
  const TempFolder folder;
  const std::filesystem::path tree = std::filesystem::path(folder.path()) / "tree";
  Tree files = kRight;
  for (const auto& [path, text] : changes) files[path] = text;
  for (const auto& [path, text] : files) {
    std::filesystem::create_directories((tree / path).parent_path());
    std::ofstream(tree / path) << text;
  }
  return shell_in(TRITCHECK_SOURCE_DIR, "ci/check-tree '" + tree.string() + "'", folder.path());
}

void expect_refused(const Tree& changes, const std::string& rule, const std::string& where) {
  const Ran r = check(changes);
  EXPECT_EQ(r.code, 1) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr(rule + "\n  " + where)) << r.err;
}

TEST(Tree, ARightOnePasses) {
  const Ran r = check({});
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("4 files in order"));
}

TEST(Tree, ReferenceMayNotIncludeTheHarness) {
  expect_refused({{"reference/numbers.h", "#include \"harness/low/a.h\"\n"}},
                 "includes that point the wrong way:", "reference/numbers.h");
}

TEST(Tree, AnEarlierFolderMayNotIncludeALaterOne) {
  expect_refused({{"harness/low/d.cpp", "#include \"harness/high/e.h\"\n"}, {"harness/high/e.h", "\n"}},
                 "against the order of harness/layers.txt:", "harness/low/d.cpp includes harness/high/e.h");
}

TEST(Tree, FilesOfOneFolderMayNotIncludeOneAnother) {
  expect_refused({{"harness/low/a.h", "#include \"harness/low/b.h\"\n"}},
                 "files that include one another:", "harness/low/");
}

TEST(Tree, AFolderIsInTheList) {
  expect_refused({{"harness/stray/d.cpp", "\n"}}, "not in harness/layers.txt:", "harness/stray");
}

TEST(Tree, NothingLiesBesideTheFolders) {
  expect_refused({{"harness/d.cpp", "\n"}}, "not in harness/layers.txt:", "harness/.");
}

TEST(Tree, TheListHoldsNoFolderThatIsGone) {
  expect_refused({{"harness/layers.txt", "low  first\nhigh  second\ngone  third\n"}},
                 "in harness/layers.txt, but empty:", "harness/gone");
}

TEST(Tree, FilesAreShort) {
  std::string lines;
  for (int i = 0; i < 401; ++i) lines += "//\n";
  expect_refused({{"harness/low/a.h", lines}}, "longer than 400 lines:", "harness/low/a.h (401)");
}

}  // namespace
}  // namespace tritcheck::testing
