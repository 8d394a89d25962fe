// The shipped models: what the reader and the packer make of real files. x86_128 and rows_1x4 files were checked byte
// for byte against the upstream C packer (corpora/models/README.md).
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "harness/base/mapped_file.h"
#include "reference/gguf.h"
#include "reference/sha256.h"

namespace tritcheck {
namespace {

using i2_s::Layout;

const std::string kModels = TRITCHECK_SOURCE_DIR "/corpora/models/";

std::string i2_s_path(const std::string& model, Layout layout) {
  return kModels + model + "-i2_s." + std::string(i2_s::name(layout)) + ".gguf";
}

std::vector<uint8_t> unpacked(Layout layout, const gguf::I2sSlice& slice) {
  std::vector<uint8_t> codes(static_cast<size_t>(slice.shape.k * slice.shape.rows));
  i2_s::unpack(layout, slice.shape, slice.bytes, codes);
  return codes;
}

float half_to_float(uint16_t h) {
  const int exponent = h >> 10 & 31;
  const int fraction = h & 1023;
  const float sign = (h & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
}

class Models : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Models, ::testing::Values("paris-a", "paris-b"),
                         [](const auto& param_info) { return param_info.param == "paris-a" ? "a" : "b"; });

TEST(ModelFiles, AreTheOnesTheChecksumsName) {
  std::ifstream sums(kModels + "SHA256SUMS");
  ASSERT_TRUE(sums);
  std::map<std::string, std::string> hashes;
  std::string hash;
  std::string name;
  while (sums >> hash >> name) hashes[name] = hash;
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kModels)) {
    const std::string extension = entry.path().extension();
    if (extension != ".gguf" && extension != ".json") continue;
    ++files;
    const MappedFile file(entry.path());
    EXPECT_EQ(sha256_hex(file.bytes()), hashes[entry.path().filename()]) << entry.path();
  }
  EXPECT_EQ(files, hashes.size());
}

TEST(ModelFiles, AreReadWithoutFindings) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kModels)) {
    if (entry.path().extension() != ".gguf") continue;
    ++files;
    const MappedFile file(entry.path());
    const gguf::File view = gguf::parse(file.bytes());
    EXPECT_EQ(view.findings.size(), 0U) << entry.path();
    EXPECT_FALSE(view.reading.ambiguous) << entry.path();
    EXPECT_EQ(view.tensors.size(), 46U) << entry.path();
    EXPECT_EQ(view.get<std::string_view>("general.architecture"), "bitnet-b1.58") << entry.path();
    EXPECT_EQ(view.get<uint32_t>("bitnet-b1.58.block_count"), 4U) << entry.path();
    const bool i2_s = entry.path().filename().string().find("i2_s") != std::string::npos;
    EXPECT_EQ(gguf::i2_s_slices(view).size(), i2_s ? 28U : 0U) << entry.path();
  }
  EXPECT_EQ(files, 14U);
}

TEST_P(Models, FourLayoutsHoldTheSameCodesAndScales) {
  const MappedFile first_file(i2_s_path(GetParam(), Layout::x86_128));
  const gguf::File first = gguf::parse(first_file.bytes());
  const auto expected = gguf::i2_s_slices(first);
  ASSERT_EQ(expected.size(), 28U);
  for (Layout layout : {Layout::arm_64, Layout::rows_1x4, Layout::linear}) {
    const MappedFile other_file(i2_s_path(GetParam(), layout));
    const gguf::File other = gguf::parse(other_file.bytes());
    const auto slices = gguf::i2_s_slices(other);
    ASSERT_EQ(slices.size(), expected.size());
    for (size_t i = 0; i < slices.size(); ++i) {
      EXPECT_EQ(slices[i].tensor->name, expected[i].tensor->name);
      EXPECT_EQ(slices[i].scale, expected[i].scale);
      EXPECT_EQ(unpacked(layout, slices[i]), unpacked(Layout::x86_128, expected[i])) << slices[i].tensor->name;
      EXPECT_NE(unpacked(Layout::x86_128, slices[i]), unpacked(Layout::x86_128, expected[i])) << slices[i].tensor->name;
      EXPECT_EQ(gguf::code_histogram(slices[i]), gguf::code_histogram(expected[i]));
      EXPECT_EQ(gguf::code_histogram(slices[i])[3], 0U);
    }
  }
}

TEST_P(Models, PackingAgainGivesTheFilesBytes) {
  for (Layout layout : i2_s::kLayouts) {
    const MappedFile file(i2_s_path(GetParam(), layout));
    const gguf::File view = gguf::parse(file.bytes());
    for (const gguf::I2sSlice& slice : gguf::i2_s_slices(view)) {
      std::vector<uint8_t> again(slice.bytes.size());
      i2_s::pack(layout, slice.shape, unpacked(layout, slice), again);
      i2_s::store_scale(slice.shape, again, slice.scale);
      EXPECT_TRUE(std::equal(again.begin(), again.end(), slice.bytes.begin(), slice.bytes.end()))
          << i2_s::name(layout) << " " << slice.tensor->name;
    }
  }
}

// An independent way to the codes: the f16 file holds weight * scale, exactly, row by row. From these the packer alone
// must make the bytes of each file.
TEST(ModelFiles, PlainWeightsPackToTheFilesBytes) {
  const MappedFile plain_file(kModels + "paris-b-f16.gguf");
  const gguf::File plain = gguf::parse(plain_file.bytes());
  for (Layout layout : i2_s::kLayouts) {
    const MappedFile file(i2_s_path("paris-b", layout));
    const gguf::File view = gguf::parse(file.bytes());
    for (const gguf::I2sSlice& slice : gguf::i2_s_slices(view)) {
      const gguf::Tensor* t = plain.tensor(slice.tensor->name);
      ASSERT_NE(t, nullptr);
      ASSERT_EQ(t->type_name, "f16");
      ASSERT_EQ(t->ne, slice.tensor->ne);
      const auto data = plain.data(*t);
      std::vector<uint8_t> codes;
      for (size_t i = 0; i < data.size(); i += 2) {
        const float weight = half_to_float(static_cast<uint16_t>(data[i] | data[i + 1] << 8));
        ASSERT_TRUE(weight == 0 || std::abs(weight) == slice.scale) << slice.tensor->name << " " << i / 2;
        codes.push_back(weight < 0 ? 0 : weight > 0 ? 2 : 1);
      }
      EXPECT_EQ(codes, unpacked(layout, slice)) << slice.tensor->name;
      std::vector<uint8_t> packed(static_cast<size_t>(i2_s::code_bytes(slice.shape)));
      i2_s::pack(layout, slice.shape, codes, packed);
      EXPECT_TRUE(std::equal(packed.begin(), packed.end(), slice.bytes.begin())) << slice.tensor->name;
    }
  }
}

}  // namespace
}  // namespace tritcheck
