// The GGUF reader against hand-made files: each is read, or refused with the field, the byte and the reason.
#include "reference/gguf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/gguf_cases.h"

namespace tritcheck::gguf {
namespace {

using ::testing::ElementsAre;
using testing::GgufCase;
using testing::GgufWriter;
using ::testing::Optional;

// Touches everything a view offers; memory errors show under ASan.
uint64_t walk(const Value& value) {
  uint64_t sum = value.bits + value.text.size();
  Elements elements(value);
  while (const auto element = elements.next()) sum += walk(*element);
  return sum;
}

uint64_t walk(const File& file) {
  uint64_t sum = 0;
  for (const Entry& e : file.metadata) sum += e.key.size() + walk(e.value);
  for (const Tensor& t : file.tensors) {
    for (uint8_t byte : file.data(t)) sum += byte;
  }
  for (const I2sSlice& s : i2_s_slices(file)) sum += code_histogram(s)[3];
  return sum;
}

// "" if the bytes are read, else the error, which must be one line and point into the file.
std::string outcome(std::span<const uint8_t> bytes) {
  try {
    walk(parse(bytes));
    return "";
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    EXPECT_EQ(what.rfind(error.field() + " at byte " + std::to_string(error.offset()) + ": ", 0), 0U) << what;
    EXPECT_LE(error.offset(), bytes.size()) << what;
    return what;
  }
}

class HandMade : public ::testing::TestWithParam<GgufCase> {};

TEST_P(HandMade, IsReadOrRefusedAsItShould) {
  const GgufCase& c = GetParam();
  ASSERT_EQ(outcome(c.bytes), c.error);
  if (!c.error.empty()) return;
  const File file = parse(c.bytes);
  std::vector<std::string> findings;
  for (const Finding& f : file.findings) findings.push_back(testing::GgufCases::said(f.field, f.offset, f.text));
  EXPECT_EQ(findings, c.findings);
  if (!c.summary.empty()) {
    EXPECT_EQ(file.reading.summary, c.summary);
  }
  if (!c.type_name.empty()) {
    EXPECT_EQ(file.tensors.at(0).type_name, c.type_name);
  }
}

INSTANTIATE_TEST_SUITE_P(Gguf, HandMade, ::testing::ValuesIn(testing::gguf_cases()),
                         [](const auto& param_info) { return param_info.param.name; });

TEST(Gguf, CasesHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const GgufCase& c : testing::gguf_cases()) EXPECT_TRUE(names.insert(c.name).second) << c.name;
}

TEST(Gguf, SmallFileIsReadFieldByField) {
  const GgufWriter w = testing::small_gguf();
  const File file = parse(w.bytes());
  EXPECT_EQ(file.version, 3U);
  EXPECT_EQ(file.alignment, 32U);
  EXPECT_EQ(file.get<std::string_view>("general.architecture"), "bitnet-b1.58");
  EXPECT_EQ(file.get<uint64_t>("n.u64"), uint64_t{1} << 40);
  EXPECT_EQ(file.get<int>("n.i8"), -128);
  EXPECT_EQ(file.get<float>("n.f32"), 0.5F);
  EXPECT_EQ(file.get<double>("n.f32"), 0.5);
  EXPECT_EQ(file.get<double>("n.f64"), 0.25);
  EXPECT_TRUE(file.get<bool>("flag"));
  EXPECT_THAT(file.get_array<std::string_view>("tokens"), ElementsAre("a", "", "ccc"));
  EXPECT_THAT(file.get_array<int32_t>("types"), ElementsAre(-1, 7));
  EXPECT_EQ(file.find<int>("absent"), std::nullopt);

  const Tensor* t = file.tensor("w");
  ASSERT_NE(t, nullptr);
  EXPECT_EQ(t, &file.tensors[1]);
  EXPECT_EQ(t->ne, (Dims{128, 2, 1, 1}));
  EXPECT_EQ(t->elements, 256);
  EXPECT_EQ(t->type_name, "i2_s");
  EXPECT_THAT(t->nbytes, Optional(96U));
  EXPECT_EQ(t->data_offset, file.data_start + 32);
  EXPECT_EQ(file.data(*t).size(), 96U);
  EXPECT_EQ(file.tensor("absent"), nullptr);

  const auto slices = i2_s_slices(file);
  ASSERT_EQ(slices.size(), 1U);
  EXPECT_EQ(slices[0].scale, 0.5F);
  EXPECT_THAT(code_histogram(slices[0]), ElementsAre(0, 0, 256, 0));
}

TEST(Gguf, WrongLookupsSayWhatIsThere) {
  const GgufWriter w = testing::small_gguf();
  const File file = parse(w.bytes());
  const auto message = [&](auto lookup) -> std::string {
    try {
      lookup();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message([&] { file.get<int>("absent"); }), "metadata \"absent\" at byte 24: it is missing, but needed");
  const std::string at = std::to_string(file.value("n.u64")->offset);
  EXPECT_EQ(message([&] { file.get<uint32_t>("n.u64"); }),
            "metadata \"n.u64\" value at byte " + at + ": its type or size is not what is needed (u64)");
  EXPECT_THROW(file.get<uint8_t>("n.i8"), Error);
  EXPECT_THROW(file.get<float>("n.f64"), Error);
  EXPECT_THROW(file.get<bool>("n.i8"), Error);
  EXPECT_THROW(file.get<std::string_view>("flag"), Error);
  EXPECT_THROW(file.get_array<uint32_t>("types"), Error);
  EXPECT_THROW(file.get_array<uint32_t>("flag"), Error);
}

TEST(Gguf, TruncatedAnywhereIsAnError) {
  const GgufWriter w = testing::small_gguf();
  ASSERT_EQ(outcome(w.bytes()), "");
  for (size_t n = 0; n < w.size(); ++n) {
    // a copy of its own, so that ASan sees a read behind it
    const std::vector<uint8_t> cut(w.bytes().begin(), w.bytes().begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_NE(outcome(cut), "") << n << " bytes";
  }
}

TEST(Gguf, AnyBitMayFlip) {
  const GgufWriter w = testing::small_gguf();
  const size_t data_start = parse(w.bytes()).data_start;
  size_t refused = 0;
  for (size_t bit = 0; bit < 8 * data_start; ++bit) {
    std::vector<uint8_t> bytes = w.bytes();
    bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    if (!outcome(bytes).empty()) ++refused;
  }
  // names, values and padding may change unseen; lengths, types, dims and offsets may not
  EXPECT_GT(refused, 8 * data_start / 4);
  EXPECT_LT(refused, 8 * data_start);
}

// Every 4- and 8-byte window of the file becomes each interesting value: a random count is refused at once, these are
// not.
TEST(Gguf, AnyNumberMayBeExtreme) {
  const GgufWriter w = testing::small_gguf();
  const uint64_t values[] = {0,
                             1,
                             2,
                             0x7FFFFFFF,
                             0xFFFFFFFF,
                             (uint64_t{1} << 42) + 1,
                             uint64_t{1} << 61,
                             uint64_t{1} << 62,
                             uint64_t{1} << 63,
                             UINT64_MAX - 31,
                             UINT64_MAX};
  for (size_t at = 4; at + 8 <= parse(w.bytes()).data_start; ++at) {
    for (uint64_t value : values) {
      for (size_t size : {4, 8}) {
        std::vector<uint8_t> bytes = w.bytes();
        for (size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
        outcome(bytes);
      }
    }
  }
}

TEST(Gguf, SlicesOf3dTensors) {
  for (const GgufCase& c : testing::gguf_cases()) {
    if (c.name == "i2_s_3d_slices") {
      const File file = parse(c.bytes);
      const auto slices = i2_s_slices(file);
      ASSERT_EQ(slices.size(), 3U);
      for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(slices[i].index, static_cast<int64_t>(i));
        EXPECT_EQ(slices[i].shape.rows, 2);
        EXPECT_EQ(slices[i].bytes.data(), c.bytes.data() + 128 + 96 * i);
      }
      EXPECT_EQ(slices[1].scale, 2);
      EXPECT_EQ(slices[2].scale, -3);
    } else if (c.name == "i2_s_3d_one_scale") {
      const File file = parse(c.bytes);
      const auto slices = i2_s_slices(file);
      ASSERT_EQ(slices.size(), 1U);
      EXPECT_EQ(slices[0].shape.rows, 6);
      EXPECT_EQ(slices[0].scale, 1);
    } else if (c.name == "i2_s_3d_ambiguous") {
      EXPECT_TRUE(i2_s_slices(parse(c.bytes)).empty());
    }
  }
}

TEST(Gguf, FindingsAreCapped) {
  GgufWriter w = GgufWriter().header(0, kMaxFindings + 5);
  for (size_t i = 0; i < kMaxFindings + 5; ++i) w.key("k" + std::to_string(i), testing::kBool).u8(2);
  const File file = parse(w.bytes());
  EXPECT_EQ(file.findings.size(), kMaxFindings);
  EXPECT_EQ(file.findings_dropped, 5U);
}

TEST(Gguf, PrintableIsOneSafeLine) {
  EXPECT_EQ(printable("plain \xC4\xA0 \xE2\x82\xAC \xF0\x9F\x98\x80"), "plain \xC4\xA0 \xE2\x82\xAC \xF0\x9F\x98\x80");
  EXPECT_EQ(printable("a\n\x1B[\"\\\x7F"), "a\\x0a\\x1b[\\x22\\x5c\\x7f");
  EXPECT_EQ(printable("\x80\xC0\x80\xC2\x9B\xED\xA0\x80\xF5"), "\\x80\\xc0\\x80\\xc2\\x9b\\xed\\xa0\\x80\\xf5");
  EXPECT_EQ(printable("\xC4"), "\\xc4");
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("ab\xC4\xA0", 3), "ab...");
}

}  // namespace
}  // namespace tritcheck::gguf
