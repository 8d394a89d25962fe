// docs/plugins.md as a stranger follows it: install, copy the template, build it, run its test; and break it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/shell.h"
#include "tests/temp_folder.h"

namespace tritcheck {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using tritcheck::testing::contents;
using tritcheck::testing::Ran;
using tritcheck::testing::TempFolder;

class PluginTemplate : public ::testing::Test {
 protected:
  void SetUp() override {
    ok("cmake --install " + std::string(TRITCHECK_BINARY_DIR) + " --prefix '" + folder_.path("installed") + "'");
    std::filesystem::copy(std::string(TRITCHECK_SOURCE_DIR) + "/docs/plugin-template", folder_.path("mine"));
    ok("cmake -S mine -B mine/build -DCMAKE_PREFIX_PATH='" + folder_.path("installed") + "'");
  }

  Ran run(const std::string& line) { return tritcheck::testing::shell_in(folder_.path(), line, folder_.path()); }
  void ok(const std::string& line) {
    const Ran r = run(line);
    ASSERT_EQ(r.code, 0) << line << "\n" << r.out << r.err;
  }
  // Replaces a piece of the template's source, which must be there.
  void edit(const std::string& from, const std::string& to) {
    const std::string path = folder_.path("mine/my_kernels.c");
    std::string text = contents(path);
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    folder_.file("mine/my_kernels.c", text);
  }
  Ran test() {
    ok("cmake --build mine/build");
    return run("ctest --test-dir mine/build --output-on-failure");
  }

  TempFolder folder_;
};

TEST_F(PluginTemplate, BuildsAndPasses) {
  const Ran r = test();
  EXPECT_EQ(r.code, 0) << r.out;
  EXPECT_THAT(r.out, HasSubstr("0 tests failed out of 1"));
  const Ran verified = run("installed/bin/tritcheck verify --lib mine/build/libmy_kernels.so");
  EXPECT_EQ(verified.code, 0) << verified.out;
  EXPECT_THAT(verified.out, AllOf(HasSubstr("my_tq2_0_dot"), HasSubstr("1 function passed, 0 failed, 0 skipped")));
}

TEST_F(PluginTemplate, AMistakeFailsItsTestAndIsNamed) {
  edit("(code - 1)", "code");
  const Ran r = test();
  EXPECT_NE(r.code, 0);
  EXPECT_THAT(r.out, AllOf(HasSubstr("offset-never"), HasSubstr("repro: ")));
}

// An older plug-in's structure is shorter; one of another version of the interface is refused.
TEST_F(PluginTemplate, AnotherVersionOfTheInterfaceIsRefusedWithASentence) {
  edit("TRITCHECK_PLUGIN_INFO(\"0.1\", kernels)", "{99, sizeof(tritcheck_kernel), 1, kernels, NULL}");
  ok("cmake --build mine/build");
  const Ran r = run("installed/bin/tritcheck verify --lib mine/build/libmy_kernels.so");
  EXPECT_EQ(r.code, 5) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("built for version 99"));
}

}  // namespace
}  // namespace tritcheck
