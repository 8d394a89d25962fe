// `inspect`, and the mapped files and hashes below it.
#include "harness/models/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/base/mapped_file.h"
#include "harness/verify/verify.h"
#include "reference/sha256.h"
#include "tests/gguf_cases.h"
#include "tests/temp_folder.h"

namespace tritcheck {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kModel = TRITCHECK_SOURCE_DIR "/corpora/models/paris-b-i2_s.x86_128.gguf";

// The message of the UserError that opening the file gives.
std::string refusal(const std::string& path) {
  try {
    inspect_text(path);
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), kExitBadFile);
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    return error.what();
  }
  return "no error";
}

std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

TEST(MappedFile, BadFilesGetOneLine) {
  const testing::TempFolder folder;
  EXPECT_EQ(refusal(folder.path("absent")),
            folder.path() + "/absent: cannot open it: No such file or directory; check the path");
  EXPECT_EQ(refusal(folder.path()), folder.path() + ": is a directory; name a file in it");
  const std::string empty = folder.file("empty", "");
  EXPECT_EQ(refusal(empty), empty + ": is empty (0 bytes); was the download or copy cut off?");
  EXPECT_EQ(refusal("/dev/null"), "/dev/null: is not a regular file; copy its content to one");
  const std::string fifo = folder.path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(refusal(fifo), fifo + ": is not a regular file; copy its content to one");
  if (::geteuid() != 0) {  // nothing is closed to root
    const std::string secret = folder.file("secret", "x");
    ASSERT_EQ(::chmod(secret.c_str(), 0), 0);
    EXPECT_EQ(refusal(secret), secret + ": cannot open it: Permission denied; check its permissions");
  }
}

TEST(MappedFile, TellsIfItWasWrittenTo) {
  const testing::TempFolder folder;
  const std::string path = folder.file("abc", "abc");
  // a file system need not tell two writes within a tick of its clock apart
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) - std::chrono::seconds(5));
  const MappedFile file(path);
  EXPECT_NO_THROW(file.check_unchanged());
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary) << 'x';
  EXPECT_THROW(file.check_unchanged(), UserError);
  const MappedFile again(path);
  // a new file of the same name is another file
  folder.file("new", "xyz");
  std::filesystem::rename(folder.path("new"), path);
  EXPECT_NO_THROW(again.check_unchanged());
}

TEST(MappedFile, HoldsTheBytesAndMoves) {
  const testing::TempFolder folder;
  MappedFile file(folder.file("abc", "abc"));
  const MappedFile moved(std::move(file));
  EXPECT_EQ(std::string(moved.bytes().begin(), moved.bytes().end()), "abc");
}

// FIPS 180-4 (and NIST's examples): lengths around the padding's block border as well.
TEST(Sha256, PublishedVectors) {
  EXPECT_EQ(sha256_hex({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex(bytes_of("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(bytes_of(
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
                "mnopqrstnopqrstu")),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(sha256_hex(bytes_of(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Inspect, RefusesMalformedFilesWithFieldAndByte) {
  const testing::TempFolder folder;
  const std::string path = folder.file("cut.gguf", std::string_view("GGUF\x03\0\0\0\x01", 9));
  EXPECT_EQ(refusal(path), path + ": n_tensors at byte 8: the file ends inside it (8 bytes needed, 1 left)");
}

TEST(Inspect, TextOfARealModel) {
  const std::string text = inspect_text(kModel);
  EXPECT_THAT(text, HasSubstr("GGUF version 3, 304896 bytes, 24 metadata entries, 46 tensors\n"));
  EXPECT_THAT(text, HasSubstr("sha256 242af3c226d5b647eaf47661c17a22d56b9fc5c177b9830594a01c6d29a2d866\n"));
  EXPECT_THAT(text, HasSubstr("... 512 in all]"));
  EXPECT_THAT(text, HasSubstr("fork_c (bitnet.cpp since 2026-07): 28 of 28 tensors end exactly where the next begins"));
  EXPECT_THAT(text, HasSubstr("layout of i2_s codes is not in the file"));
  EXPECT_THAT(text, HasSubstr("findings: none"));
  const std::string verbose = inspect_text(kModel, {.verbose = true});
  EXPECT_THAT(verbose, Not(HasSubstr("in all]")));
  EXPECT_THAT(verbose, HasSubstr("<|end_of_text|>"));
}

TEST(Inspect, JsonOfARealModel) {
  const json j = json::parse(inspect_json(kModel));
  EXPECT_EQ(j["container"]["version"], 3);
  EXPECT_EQ(j["container"]["alignment"], 32);
  EXPECT_EQ(j["tensors"].size(), 46U);
  EXPECT_EQ(j["tensors"][2]["name"], "blk.0.attn_q.weight");
  EXPECT_EQ(j["tensors"][2]["dims"], json({128, 128}));
  EXPECT_EQ(j["tensors"][2]["nbytes"], 4128);
  EXPECT_EQ(j["dialect"]["candidates"], json({"fork_ab", "fork_c", "ik"}));
  EXPECT_TRUE(j["i2_s"]["layout"].is_null());
  EXPECT_TRUE(j["findings"].empty());
  ASSERT_EQ(j["i2_s"]["tensors"].size(), 28U);
  for (const json& t : j["i2_s"]["tensors"]) {
    const auto codes = t["codes"].get<std::vector<int64_t>>();
    EXPECT_EQ(codes[0] + codes[1] + codes[2], t["k"].get<int64_t>() * t["rows"].get<int64_t>());
    EXPECT_EQ(codes[3], 0);
    EXPECT_EQ(t["possible_layouts"].size(), 4U);
  }
  const auto value = [](const json& report, const std::string& key) {
    for (const json& e : report["metadata"]) {
      if (e["key"] == key) return e;
    }
    return json();
  };
  EXPECT_EQ(value(j, "tokenizer.ggml.tokens")["count"], 512);
  EXPECT_EQ(value(j, "tokenizer.ggml.tokens")["value"].size(), 4U);
  EXPECT_EQ(value(json::parse(inspect_json(kModel, {.verbose = true})), "tokenizer.ggml.tokens")["value"].size(), 512U);
}

// Whatever the reader accepts can be shown, in lines without control characters and as JSON that parses.
TEST(Inspect, ShowsEveryOddFile) {
  for (const testing::GgufCase& c : testing::gguf_cases()) {
    if (!c.error.empty()) continue;
    const std::string text = inspect_text(c.name, c.bytes, {.verbose = true});
    for (char ch : text) EXPECT_TRUE(ch == '\n' || static_cast<uint8_t>(ch) >= 0x20) << c.name;
    for (const std::string& finding : c.findings) EXPECT_THAT(text, HasSubstr("  " + finding + "\n"));
    const json j = json::parse(inspect_json(c.name, c.bytes, {.verbose = true}));
    if (c.name != "i2_s_code_3" && c.name != "i2_s_odd") {
      EXPECT_EQ(j["findings"].size(), c.findings.size()) << c.name;
    }
  }
}

TEST(Inspect, FlagsCode3AndBadScales) {
  for (const testing::GgufCase& c : testing::gguf_cases()) {
    if (c.name == "i2_s_code_3") {
      EXPECT_THAT(inspect_text("f", c.bytes, {}), HasSubstr("tensor \"w\" codes at byte 96: 256 weights have code 3"));
    } else if (c.name == "i2_s_scale_nan") {
      EXPECT_THAT(inspect_text("f", c.bytes, {}), HasSubstr("nan (NaN!)"));
      EXPECT_TRUE(json::parse(inspect_json("f", c.bytes, {}))["i2_s"]["tensors"][0]["scale"].is_null());
    } else if (c.name == "i2_s_odd") {
      EXPECT_THAT(inspect_text("f", c.bytes, {}), HasSubstr("no known i2_s layout allows K = 3 with 2 rows"));
    }
  }
}

// A sparse file of terabytes behind a small model: hashing it would never end.
TEST(Inspect, AHugeTailIsSaidAndNotHashed) {
  const std::string path = ::testing::TempDir() + "huge-tail.gguf";
  std::filesystem::copy_file(TRITCHECK_SOURCE_DIR "/corpora/models/paris-b-i2_s.x86_128.gguf", path,
                             std::filesystem::copy_options::overwrite_existing);
  std::error_code no_room;
  std::filesystem::resize_file(path, uint64_t{1} << 40, no_room);
  if (no_room) GTEST_SKIP() << no_room.message();
  EXPECT_THAT(inspect_text(path, {}), ::testing::HasSubstr("sha256 not computed"));
  VerifyOptions options;
  options.model = path;
  try {
    verify(options);
    ADD_FAILURE() << "not refused";
  } catch (const UserError& e) {
    EXPECT_EQ(e.code(), kExitBadFile);
    EXPECT_THAT(e.what(), ::testing::HasSubstr("bytes follow the last tensor"));
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace tritcheck
