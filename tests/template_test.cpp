// The way of docs/your-own-kernel.md, as a stranger walks it: copy docs/template, configure with TRITCHECK_EXTRA, build
// the target verify-extra; then break the copy by one token and read the name of the mistake. The tritcheck of this
// build verifies, so that only the runner is built (all of it if TRITCHECK_LONG_TESTS is set).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// The template's scalar, AVX2 and NEON kernels, of those that this build can run; no kernel of ours among them.
#if defined(__x86_64__) && defined(TRITCHECK_SIMDE)
constexpr const char* kAllPassed = "3 kernels passed, 0 failed, 0 skipped";
#else
constexpr const char* kAllPassed = "2 kernels passed, 0 failed, 1 skipped";
#endif

struct Outcome {
  int code = -1;
  std::string text;
};

Outcome run(const std::string& command) {
  Outcome out;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return out;
  std::array<char, 4096> buffer{};
  while (const size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) out.text.append(buffer.data(), n);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) out.code = WEXITSTATUS(status);
  return out;
}

std::string quoted(const fs::path& path) {
  return '\'' + path.string() + '\'';
}

// Replaces the one place where `from` stands.
void mutate(const fs::path& file, const std::string& from, const std::string& to) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  std::string source = text.str();
  const size_t at = source.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  ASSERT_EQ(source.find(from, at + 1), std::string::npos) << from;
  std::ofstream(file) << source.replace(at, from.size(), to);
}

class Template : public testing::Test {
 protected:
  const fs::path scratch_ =
      fs::path(TRITCHECK_BINARY_DIR) / "template_test" / testing::UnitTest::GetInstance()->current_test_info()->name();
  const fs::path mine_ = scratch_ / "mine";
  const fs::path build_ = scratch_ / "build";

  // The build stays from run to run, so that only the first is slow; the
  // folder of kernels is copied afresh.
  void SetUp() override {
    fs::create_directories(scratch_);
    fs::remove_all(mine_);
    fs::copy(fs::path(TRITCHECK_SOURCE_DIR) / "docs" / "template", mine_);
  }

  Outcome configure() const {
    return run("cmake -G " + quoted(TRITCHECK_GENERATOR) + " -S " + quoted(TRITCHECK_SOURCE_DIR) + " -B " +
               quoted(build_) + " -DTRITCHECK_EXTRA=" + quoted(mine_) +
               " -DCMAKE_BUILD_TYPE=Debug -DTRITCHECK_TESTS=OFF -DTRITCHECK_BENCH=OFF" +
               (std::getenv("TRITCHECK_LONG_TESTS") != nullptr
                    ? " -DTRITCHECK_RUNNER_ONLY=OFF -DTRITCHECK_TOOL="
                    : " -DTRITCHECK_RUNNER_ONLY=ON -DTRITCHECK_TOOL=" TRITCHECK_BINARY_DIR "/bin/tritcheck"));
  }
  Outcome verify() const { return run("cmake --build " + quoted(build_) + " --parallel 2 --target verify-extra"); }
};

TEST_F(Template, IsRightAndItsMistakesAreNamed) {
  const Outcome configured = configure();
  ASSERT_EQ(configured.code, 0) << configured.text;

  const Outcome right = verify();
  ASSERT_EQ(right.code, 0) << right.text;
  EXPECT_THAT(right.text, HasSubstr(kAllPassed));

  mutate(mine_ / "my_dot_scalar.cpp", "6 - 2 * field", "2 * field");
  const Outcome wrong = verify();
  EXPECT_NE(wrong.code, 0);
  EXPECT_THAT(wrong.text, HasSubstr("FAILED my_dot_scalar on local: mismatch"));
  EXPECT_THAT(wrong.text, HasSubstr("layout-bit-order"));
  EXPECT_THAT(wrong.text, HasSubstr("tritcheck replay "));

  // a name added to or taken from the registry is noticed without configuring by hand
  std::ofstream(mine_ / "kernels.inc")
      << "TRITCHECK_DOT(my_other_scalar, scalar, i2_s_contract(Op::dot, Layout::x86_128))\n";
  mutate(mine_ / "my_dot_scalar.cpp", "my_dot_scalar", "my_other_scalar");
  const Outcome renamed = verify();
  EXPECT_NE(renamed.code, 0);
  EXPECT_THAT(renamed.text, HasSubstr("FAILED my_other_scalar on local: mismatch"));
  EXPECT_THAT(renamed.text, HasSubstr("0 kernels passed, 1 failed, 0 skipped"));
}

TEST_F(Template, AFolderWithoutRegistryIsRefused) {
  fs::remove(mine_ / "kernels.inc");
  const Outcome configured = configure();
  EXPECT_NE(configured.code, 0);
  EXPECT_THAT(configured.text, HasSubstr("TRITCHECK_EXTRA: there is no"));
  EXPECT_THAT(configured.text, HasSubstr("copy docs/template to start"));
}

}  // namespace
