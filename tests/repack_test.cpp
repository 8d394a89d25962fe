// `repack`: what it writes, what it refuses, and that nothing is left of what it did not finish.
#include "harness/models/repack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/verify/verify.h"
#include "reference/gguf.h"
#include "reference/sha256.h"
#include "tests/gguf_cases.h"
#include "tests/repack_cases.h"

namespace tritcheck {
namespace {

using i2_s::Layout;
using ::testing::AllOf;
using testing::contents;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RepackFolder;
using ::testing::StartsWith;
namespace fs = std::filesystem;

std::string shipped(const std::string& model, Layout layout) {
  return TRITCHECK_SOURCE_DIR "/corpora/models/" + model + "-i2_s." + std::string(i2_s::name(layout)) + ".gguf";
}
const std::string kModel = shipped("paris-b", Layout::x86_128);

std::string_view description(const std::string& bytes) {
  return gguf::parse(testing::bytes_of(bytes)).get<std::string_view>("general.description");
}

// The file with another general.description: all behind it moves, up to the padding in front of the data.
std::string with_description(const std::string& bytes, std::string_view text) {
  const gguf::File file = gguf::parse(testing::bytes_of(bytes));
  const auto at = [&bytes](const char* p) { return static_cast<size_t>(p - bytes.data()); };
  const auto old = file.get<std::string_view>("general.description");
  size_t end = 0;
  for (const gguf::Tensor& t : file.tensors) {
    end = std::max(end, at(t.name.data()) + t.name.size() + 4 + 8 * t.n_dims + 4 + 8);
  }
  std::string head = bytes.substr(0, at(old.data()) - 8);
  for (int i = 0; i < 8; ++i) head += static_cast<char>(text.size() >> 8 * i);
  head += text;
  head += bytes.substr(at(old.data()) + old.size(), end - at(old.data()) - old.size());
  head.resize((head.size() + file.alignment - 1) / file.alignment * file.alignment);
  return head + bytes.substr(file.data_start);
}

class Repack : public RepackFolder {
 protected:
  RepackOptions options(const std::string& in, Layout from, Layout to) const {
    RepackOptions o;
    o.in = in;
    o.out = path("out.gguf");
    o.from = from;
    o.to = to;
    return o;
  }
  RepackOptions options() const { return options(kModel, Layout::x86_128, Layout::arm_64); }

  // The message of the UserError: one line, with that exit code, and the folder is as it was.
  std::string refusal(const RepackOptions& o, ExitCode code, const RepackProgress& progress = {}) const {
    const auto before = snapshot();
    try {
      repack(o, progress);
    } catch (const UserError& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
      if (!progress) {
        EXPECT_EQ(snapshot(), before);
      }
      return error.what();
    }
    return "no error";
  }
};

TEST_F(Repack, ShippedFilesBecomeEachOther) {
  for (const std::string model : {"paris-a", "paris-b"}) {
    for (Layout from : i2_s::kLayouts) {
      for (Layout to : i2_s::kLayouts) {
        if (from == to) continue;
        const RepackOptions o = options(shipped(model, from), from, to);
        const RepackResult result = repack(o);
        const std::string out = contents(o.out);
        const std::string expected = with_description(contents(shipped(model, to)), description(contents(o.in)));
        EXPECT_TRUE(out == expected) << model << " " << i2_s::name(from) << " " << i2_s::name(to);
        EXPECT_EQ(result.tensors, 28);
        EXPECT_EQ(result.file_bytes, out.size());
        EXPECT_EQ(result.sha256, sha256_hex(testing::bytes_of(expected)));

        RepackOptions back = options(o.out, to, from);
        back.out = path("back.gguf");
        repack(back);
        EXPECT_TRUE(contents(back.out) == contents(o.in)) << model;
        EXPECT_THAT(names(), ElementsAre("back.gguf", "out.gguf"));
        clear();
      }
    }
  }
}

RC_GTEST_FIXTURE_PROP(Repack, MovesNothingButCodes, ()) {
  const testing::MadeUp file = *testing::arbitrary_file();
  write("in.gguf", file.bytes(file.from));
  RepackOptions o = options(path("in.gguf"), file.from, file.to);
  o.overwrite = true;
  const RepackResult result = repack(o);
  RC_ASSERT(contents(o.out) == file.bytes(file.to));
  RC_ASSERT(result.tensors == static_cast<int64_t>(file.matrices.size()));
  RC_ASSERT(names() == (std::vector<std::string>{"in.gguf", "out.gguf"}));
}

// More weights than are held at once, and not a multiple of them.
TEST_F(Repack, LongTensorsAreDoneInParts) {
  for (const auto& [from, to, rows] :
       {std::tuple(Layout::x86_128, Layout::rows_1x4, 6004), std::tuple(Layout::rows_1x4, Layout::arm_64, 6004),
        std::tuple(Layout::linear, Layout::x86_128, 6001)}) {
    const testing::MadeUp file{from, to, {{384, rows, 1, 1}, {1 << 19, 8, 1, 2}}, false};
    write("in.gguf", file.bytes(from));
    RepackOptions o = options(path("in.gguf"), from, to);
    o.overwrite = true;
    repack(o);
    EXPECT_TRUE(contents(o.out) == file.bytes(to)) << i2_s::name(from) << " to " << i2_s::name(to);
  }
}

TEST_F(Repack, RefusesShapesALayoutCannotHold) {
  const auto attempt = [&](const std::vector<testing::Matrix>& matrices, Layout from, Layout to) {
    write("in.gguf", testing::MadeUp{from, to, matrices, false}.bytes(from));
    return refusal(options(path("in.gguf"), from, to), kExitBadFile);
  };
  const testing::Matrix fine{128, 4, 1, 1};
  EXPECT_THAT(attempt({fine, {192, 4, 1, 2}}, Layout::linear, Layout::x86_128),
              AllOf(HasSubstr("tensor \"w1\""), HasSubstr("--layout x86_128"), HasSubstr("K = 192")));
  EXPECT_THAT(attempt({fine, {100, 4, 1, 2}}, Layout::linear, Layout::arm_64), HasSubstr("K = 100 is not a multiple"));
  EXPECT_THAT(attempt({fine, {6, 4, 1, 2}}, Layout::rows_1x4, Layout::linear), HasSubstr("K = 6 is not a multiple"));
  EXPECT_THAT(attempt({fine, {128, 6, 1, 2}}, Layout::linear, Layout::rows_1x4), HasSubstr("rows = 6"));
  // 12 rows, but a scale behind every 6: no group of four may straddle it
  EXPECT_THAT(attempt({{128, 6, 2, 1}}, Layout::linear, Layout::rows_1x4), HasSubstr("rows = 6"));
  EXPECT_THAT(attempt({{192, 4, 1, 1}}, Layout::linear, Layout::rows_1x4), "no error");
  clear();
  write("in.gguf", testing::MadeUp{Layout::linear, Layout::arm_64, {{192, 4, 1, 1}}, false}.bytes(Layout::linear));
  EXPECT_THAT(refusal(options(path("in.gguf"), Layout::x86_128, Layout::linear), kExitBadFile),
              HasSubstr("--from x86_128 cannot hold it: K = 192"));
}

TEST_F(Repack, RefusesWhatIsNoI2sModel) {
  EXPECT_THAT(refusal(options(path("absent"), Layout::x86_128, Layout::linear), kExitBadFile), HasSubstr("check the"));
  const std::string f16 = TRITCHECK_SOURCE_DIR "/corpora/models/paris-b-f16.gguf";
  EXPECT_THAT(refusal(options(f16, Layout::x86_128, Layout::linear), kExitBadFile), HasSubstr("no I2_S tensor"));
  for (const testing::GgufCase& c : testing::gguf_cases()) {
    if (c.bytes.empty()) continue;  // refused before it is parsed
    write("in.gguf", {c.bytes.begin(), c.bytes.end()});
    const RepackOptions o = options(path("in.gguf"), Layout::linear, Layout::x86_128);
    if (!c.error.empty()) {
      EXPECT_EQ(refusal(o, kExitBadFile), o.in + ": " + c.error);
    } else if (c.name == "i2_s_3d_ambiguous") {
      EXPECT_THAT(refusal(o, kExitBadFile), AllOf(HasSubstr("tensor \"w\" at byte 512"), HasSubstr("ambiguous")));
    }
  }
}

TEST_F(Repack, RefusesLayoutsThatMakeNoSense) {
  RepackOptions o = options();
  o.from.reset();
  EXPECT_THAT(refusal(o, kExitUsage), AllOf(HasSubstr("needs --from"), HasSubstr("published files are x86_128")));
  o.from = o.to;
  EXPECT_THAT(refusal(o, kExitUsage), HasSubstr("both arm_64"));
}

TEST_F(Repack, ReplacesAFileOnlyIfTold) {
  write("out.gguf", "precious");
  RepackOptions o = options();
  EXPECT_EQ(refusal(o, kExitUsage), o.out + ": there is a file of that name; name another, or give --overwrite");
  o.dry_run = true;
  EXPECT_THAT(refusal(o, kExitUsage), HasSubstr("there is a file"));
  o.dry_run = false;
  ASSERT_EQ(chmod(o.out.c_str(), 0640), 0);
  o.overwrite = true;
  repack(o);
  EXPECT_EQ(contents(o.out).size(), 304896U);
  EXPECT_EQ(fs::status(o.out).permissions(), fs::perms(0640));  // those of the file before
  EXPECT_THAT(names(), ElementsAre("out.gguf"));
  fs::create_symlink("nowhere", path("link"));
  o.out = path("link");
  o.overwrite = false;
  EXPECT_THAT(refusal(o, kExitUsage), HasSubstr("there is a file"));
}

TEST_F(Repack, ReplacesItsInputOnlyIfTold) {
  write("in.gguf", contents(kModel));
  fs::create_hard_link(path("in.gguf"), path("hard"));
  fs::create_symlink("in.gguf", path("soft"));
  RepackOptions o = options(path("in.gguf"), Layout::x86_128, Layout::arm_64);
  for (const char* name : {"in.gguf", "hard", "soft"}) {
    o.out = path(name);
    EXPECT_THAT(refusal(o, kExitUsage), AllOf(HasSubstr("the input itself"), HasSubstr("--overwrite"))) << name;
  }
  // the link is replaced, not the file it leads to
  o.overwrite = true;
  repack(o);
  EXPECT_FALSE(fs::is_symlink(path("soft")));
  EXPECT_TRUE(contents(path("in.gguf")) == contents(kModel));
  o.out = path("in.gguf");
  repack(o);
  EXPECT_TRUE(contents(o.out) == contents(path("soft")));
  EXPECT_TRUE(contents(path("hard")) == contents(kModel));
}

TEST_F(Repack, RefusesPlacesWhereNoFileCanBe) {
  RepackOptions o = options();
  const auto at = [&](const std::string& out, bool overwrite = false) {
    o.out = out;
    o.overwrite = overwrite;
    return refusal(o, kExitBadFile);
  };
  EXPECT_THAT(at(path("no/out.gguf")), HasSubstr("there is no folder '" + path("no") + "'"));
  EXPECT_THAT(at(path("new/")), HasSubstr("there is no folder"));
  EXPECT_THAT(at(path("")), HasSubstr("names a folder"));
  EXPECT_THAT(at(path("."), true), HasSubstr("is a directory"));
  // a device would do as well, but a broken program run by root would replace it
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_THAT(at(path("fifo"), true), HasSubstr("is not a regular file"));
  EXPECT_TRUE(fs::is_fifo(path("fifo")));
  EXPECT_THAT(at(path(std::string(300, 'x'))), HasSubstr("File name too long"));
}

TEST_F(Repack, RefusesAFolderItMayNotWriteTo) {
  write("in.gguf", contents(kModel));
  fs::create_directory(path("closed"));
  ASSERT_EQ(chmod(path("closed").c_str(), 0555), 0);
  ASSERT_EQ(chmod(path("").c_str(), 0755), 0);
  RepackOptions o = options(path("in.gguf"), Layout::x86_128, Layout::arm_64);
  o.out = path("closed/out.gguf");
  const bool root = geteuid() == 0;  // to whom nothing is closed
  if (root) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  for (const bool dry : {true, false}) {
    o.dry_run = dry;
    EXPECT_THAT(refusal(o, kExitBadFile), HasSubstr("cannot write into folder")) << dry;
  }
  if (root) {
    ASSERT_EQ(seteuid(0), 0);
  }
}

TEST_F(Repack, SaysHowMuchSpaceIsMissing) {
  write("in.gguf", contents(kModel));
  std::error_code error;
  const uint64_t room = fs::space(path("")).available;
  fs::resize_file(path("in.gguf"), room + (uint64_t{1} << 32), error);  // sparse
  if (error) GTEST_SKIP() << error.message();
  RepackOptions o = options(path("in.gguf"), Layout::x86_128, Layout::arm_64);
  for (const bool dry : {true, false}) {
    o.dry_run = dry;
    std::string message = "no error";
    try {
      // it must not come to filling the disk
      repack(o, [](std::string_view, uint64_t, uint64_t) { throw std::runtime_error("it wrote"); });
    } catch (const UserError& e) {
      EXPECT_EQ(e.code(), kExitBadFile);
      message = e.what();
    } catch (const std::runtime_error& e) {
      message = e.what();
    }
    EXPECT_THAT(message, AllOf(HasSubstr("bytes missing; free some"), HasSubstr(" are free in"))) << dry;
    EXPECT_THAT(names(), ElementsAre("in.gguf"));
  }
}

TEST_F(Repack, ADryRunWritesNothing) {
  RepackOptions o = options();
  o.dry_run = true;
  const RepackResult result = repack(o);
  EXPECT_THAT(names(), ElementsAre());
  EXPECT_THAT(repack_text(o, result, "tritcheck"),
              AllOf(HasSubstr("would repack 28 I2_S tensors"), HasSubstr("would have 304896 bytes"),
                    HasSubstr("are free there"), HasSubstr("nothing was written")));
}

// What others do while it runs. The first call of `progress` comes when something was written, but not all.
TEST_F(Repack, AFileThatCameMeanwhileStays) {
  const RepackOptions o = options();
  const auto intrude = [&](std::string_view, uint64_t, uint64_t) { write("out.gguf", "of somebody else"); };
  EXPECT_THAT(refusal(o, kExitUsage, intrude), HasSubstr("there is a file of that name"));
  EXPECT_EQ(contents(o.out), "of somebody else");
  EXPECT_THAT(names(), ElementsAre("out.gguf"));
}

TEST_F(Repack, AnInputThatChangesIsAnError) {
  write("in.gguf", contents(kModel));
  // a file system need not tell two writes within a tick of its clock apart
  fs::last_write_time(path("in.gguf"), fs::last_write_time(path("in.gguf")) - std::chrono::seconds(5));
  const RepackOptions o = options(path("in.gguf"), Layout::x86_128, Layout::arm_64);
  const auto touch = [&](std::string_view, uint64_t, uint64_t) {
    std::fstream(o.in, std::ios::in | std::ios::out | std::ios::binary) << 'G';
  };
  EXPECT_THAT(refusal(o, kExitBadFile, touch), HasSubstr("was written to while it was being read"));
  EXPECT_THAT(names(), ElementsAre("in.gguf"));
}

TEST_F(Repack, AnInterruptLeavesNothing) {
  write("out.gguf", "precious");
  RepackOptions o = options();
  o.overwrite = true;
  for (const std::string when : {"writing", "waiting for the disk", "hashing"}) {
    std::vector<std::string> seen;
    int steps_after = 0;
    const auto interrupt = [&](std::string_view step, uint64_t, uint64_t) {
      if (g_interrupted) ++steps_after;
      if (step != when || g_interrupted.exchange(true)) return;
      seen = names();
    };
    EXPECT_THAT(refusal(o, kExitInterrupted, interrupt), HasSubstr("interrupted, nothing was written"));
    g_interrupted = false;
    EXPECT_EQ(steps_after, 0);
    // the folder of the file, so that a rename is enough
    EXPECT_THAT(seen, ElementsAre(StartsWith(".tritcheck-unfinished."), "out.gguf"));
    EXPECT_THAT(names(), ElementsAre("out.gguf"));
    EXPECT_EQ(contents(o.out), "precious");
  }
}

}  // namespace
}  // namespace tritcheck
