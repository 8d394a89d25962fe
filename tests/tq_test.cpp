// TQ1_0 and TQ2_0: against bytes a built ggml wrote, against a second reading of the format, and against the models.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "harness/base/mapped_file.h"
#include "reference/gguf.h"
#include "reference/half.h"
#include "reference/tq1_0.h"
#include "reference/tq2_0.h"
#include "tests/block_bytes.h"

namespace tritcheck {
namespace {

Bytes cycle(const Bytes& pattern, size_t n) {
  Bytes out;
  for (size_t i = 0; i < n; ++i) out.push_back(pattern[i % pattern.size()]);
  return out;
}

Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes out;
  for (const Bytes& p : parts) out.insert(out.end(), p.begin(), p.end());
  return out;
}

// w[i] = i % 3 - 1 with scale 0.5, as the library's own quantisers pack it
template <class Block>
Block worked() {
  Block block;
  for (size_t e = 0; e < 256; ++e) block.codes[e] = static_cast<uint8_t>(e % 3);
  block.d = 0x3800;
  return block;
}

TEST(Tq2, WorkedBlock) {
  const Bytes bytes = joined({cycle({0x18, 0x61, 0x86}, 64), {0x00, 0x38}});
  EXPECT_EQ(packed(worked<tq2_0::Block>(), tq2_0::kBytes), bytes);
  EXPECT_EQ(tq2_0::unpack(bytes), worked<tq2_0::Block>());
}

TEST(Tq1, WorkedBlock) {
  const Bytes bytes =
      joined({cycle({0x45, 0x6C, 0xCF}, 32), cycle({0x94, 0xBB, 0x31}, 16), {0x30, 0x92, 0xBB, 0x30}, {0x00, 0x38}});
  EXPECT_EQ(packed(worked<tq1_0::Block>(), tq1_0::kBytes), bytes);
  EXPECT_EQ(tq1_0::unpack(bytes), worked<tq1_0::Block>());
}

// Second readings: the elements in the order in which the packed fields appear.
std::vector<int> in_order_tq2(const Bytes& bytes) {
  std::vector<int> codes;
  for (size_t group : {0, 32}) {
    for (int power : {1, 4, 16, 64}) {
      for (size_t m = 0; m < 32; ++m) codes.push_back(bytes[group + m] / power % 4);
    }
  }
  return codes;
}

std::vector<int> in_order_tq1(const Bytes& bytes) {
  std::vector<int> codes;
  const auto section = [&](size_t first, size_t n, std::initializer_list<int> powers) {
    // trit i of a byte is digit i behind the point of byte / 256 in base 3
    for (int power : powers) {
      for (size_t m = 0; m < n; ++m) codes.push_back(bytes[first + m] * power / 256 % 3);
    }
  };
  section(0, 32, {3, 9, 27, 81, 243});
  section(32, 16, {3, 9, 27, 81, 243});
  section(48, 4, {3, 9, 27, 81});
  return codes;
}

TEST(Tq, EveryByteValueAtEveryPlace) {
  for (size_t at = 0; at < 64; ++at) {
    for (int value = 0; value < 256; ++value) {
      Bytes bytes(tq2_0::kBytes, 0x1B);
      bytes[at] = static_cast<uint8_t>(value);
      const auto two = tq2_0::unpack(bytes).codes;
      ASSERT_EQ(std::vector<int>(two.begin(), two.end()), in_order_tq2(bytes)) << at << " " << value;
      ASSERT_EQ(packed(tq2_0::unpack(bytes), tq2_0::kBytes), bytes) << at << " " << value;
      if (at >= 52) continue;
      bytes.resize(tq1_0::kBytes);
      const auto one = tq1_0::unpack(bytes).codes;
      ASSERT_EQ(std::vector<int>(one.begin(), one.end()), in_order_tq1(bytes)) << at << " " << value;
    }
  }
}

TEST(Tq1, ThirteenBytesAliasTheOneBefore) {
  const std::set<int> aliases = {1, 20, 40, 60, 79, 99, 119, 138, 158, 178, 197, 217, 237};
  const auto trits = [](int byte) {
    std::vector<int> t;
    for (int i = 0; i < 5; ++i) t.push_back(tq1_0::trit(static_cast<uint8_t>(byte), i));
    return t;
  };
  std::set<std::vector<int>> seen;
  for (int byte = 0; byte < 256; ++byte) {
    for (int t : trits(byte)) ASSERT_LE(t, 2) << byte;
    EXPECT_EQ(tq1_0::is_canonical(static_cast<uint8_t>(byte)), !aliases.contains(byte)) << byte;
    if (aliases.contains(byte)) {
      EXPECT_EQ(trits(byte), trits(byte - 1)) << byte;
    } else {
      seen.insert(trits(byte));
    }
  }
  EXPECT_EQ(seen.size(), 243U);
}

RC_GTEST_PROP(Tq1, PackIsCanonicalAndUnpackInverts, ()) {
  Prng rng(*rc::gen::arbitrary<uint64_t>());
  tq1_0::Block block;
  for (auto& c : block.codes) c = static_cast<uint8_t>(rng.below(3));
  block.d = static_cast<uint16_t>(rng.below(65536));
  const Bytes bytes = packed(block, tq1_0::kBytes);
  for (size_t b = 0; b < 52; ++b) RC_ASSERT(tq1_0::is_canonical(bytes[b]));
  for (size_t b = 48; b < 52; ++b) RC_ASSERT(tq1_0::trit(bytes[b], 4) == 0);
  RC_ASSERT(tq1_0::unpack(bytes) == block);
}

RC_GTEST_PROP(Tq2, AnyBytesSurvive, ()) {
  Prng rng(*rc::gen::arbitrary<uint64_t>());
  const Bytes bytes = random_bytes(rng, tq2_0::kBytes);
  RC_ASSERT(packed(tq2_0::unpack(bytes), tq2_0::kBytes) == bytes);
}

TEST(Tq, RowsDequantiseBlockByBlock) {
  tq2_0::Block two;
  two.codes[0] = 3;
  two.codes[255] = 2;
  two.d = 0xC000;  // -2
  Bytes row = joined({packed(worked<tq2_0::Block>(), tq2_0::kBytes), packed(two, tq2_0::kBytes)});
  std::vector<double> values(512);
  tq2_0::dequantize_row(row, values);
  EXPECT_EQ(values[0], -0.5);
  EXPECT_EQ(values[254], 0.5);
  EXPECT_EQ(values[256], -4);  // code 3 is +2
  EXPECT_EQ(values[257], 2);
  EXPECT_EQ(values[511], -2);
  tq1_0::Block one = worked<tq1_0::Block>();
  one.d = 0x0001;  // the smallest denormal
  row = joined({packed(worked<tq1_0::Block>(), tq1_0::kBytes), packed(one, tq1_0::kBytes)});
  tq1_0::dequantize_row(row, values);
  EXPECT_EQ(values[255], -0.5);
  EXPECT_EQ(values[256], -0x1p-24);
  EXPECT_EQ(values[258], 0x1p-24);
}

template <class Function>
std::string refusal(Function function) {
  try {
    function();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "nothing was refused";
}

TEST(Tq, RefusalsSayWhatToDo) {
  EXPECT_EQ(tq2_0::row_bytes(768), 198);
  EXPECT_EQ(tq1_0::row_bytes(768), 162);
  EXPECT_EQ(refusal([] { (void)tq2_0::row_bytes(384); }),
            "tq2_0: K = 384 is not a multiple of 256; fill the row up with zeros, or keep it in f16");
  EXPECT_EQ(refusal([] { (void)tq1_0::row_bytes(0); }), "tq1_0: K = 0 is not positive; a row has at least one block");
  EXPECT_EQ(refusal([] { (void)tq1_0::row_bytes(-256); }),
            "tq1_0: K = -256 is not positive; a row has at least one block");
  Bytes bytes(66);
  std::vector<double> values(256);
  EXPECT_EQ(refusal([&] { (void)tq1_0::unpack(bytes); }),
            "tq1_0 unpack: 66 bytes given; pass exactly one block, 256 elements in 54 bytes");
  EXPECT_EQ(refusal([&] { tq1_0::dequantize_row(bytes, values); }),
            "tq1_0 dequantize_row: 66 bytes for K = 256; pass exactly 54, a block is 256 elements in 54 bytes");
  EXPECT_EQ(refusal([&] {
              tq1_0::Block block;
              block.codes[7] = 3;
              tq1_0::pack(block, std::span(bytes).first(54));
            }),
            "tq1_0 pack: code 3 at element 7; codes go from 0 to 2");
  EXPECT_EQ(refusal([&] {
              tq2_0::Block block;
              block.codes[255] = 4;
              tq2_0::pack(block, bytes);
            }),
            "tq2_0 pack: code 4 at element 255; codes go from 0 to 3");
  EXPECT_THROW(tq2_0::pack({}, std::span(bytes).first(65)), std::invalid_argument);
  EXPECT_THROW(tq2_0::dequantize_row(std::span(bytes).first(65), values), std::invalid_argument);
}

// The files gguf-py wrote hold the weights of the other files of the same model.
const std::string kModels = TRITCHECK_SOURCE_DIR "/corpora/models/";

std::vector<double> values_of(const gguf::File& file, const gguf::Tensor& tensor) {
  const auto data = file.data(tensor);
  std::vector<double> values(static_cast<size_t>(tensor.elements));
  // rows are whole blocks, so a tensor is one long row
  if (tensor.type_name == "tq1_0") tq1_0::dequantize_row(data, values);
  if (tensor.type_name == "tq2_0") tq2_0::dequantize_row(data, values);
  for (size_t i = 0; tensor.type_name == "f16" && i < values.size(); ++i) {
    values[i] = f16::to_float(blocks::load_u16(data, 2 * i));
  }
  for (size_t i = 0; tensor.type_name == "f32" && i < values.size(); ++i) {
    values[i] = std::bit_cast<float>(blocks::load_u32(data, 4 * i));
  }
  return values;
}

size_t count_of(const gguf::File& file, const std::string& type) {
  size_t n = 0;
  for (const gguf::Tensor& t : file.tensors) n += t.type_name == type ? 1 : 0;
  return n;
}

TEST(TqModels, EveryTensorEqualsThePlainFile) {
  const MappedFile plain_file(kModels + "paris-b-f32.gguf");
  const gguf::File plain = gguf::parse(plain_file.bytes());
  for (const std::string type : {"tq1_0", "tq2_0", "f16"}) {
    const MappedFile mapped(kModels + "paris-b-" + type + ".gguf");
    const gguf::File file = gguf::parse(mapped.bytes());
    EXPECT_EQ(count_of(file, type), type == "f16" ? 29U : 4U);
    for (const gguf::Tensor& t : file.tensors) {
      const gguf::Tensor* expected = plain.tensor(t.name);
      ASSERT_NE(expected, nullptr) << t.name;
      ASSERT_EQ(expected->type_name, "f32") << t.name;
      EXPECT_EQ(values_of(file, t), values_of(plain, *expected)) << type << " " << t.name;
    }
  }
}

TEST(TqModels, EveryMatrixEqualsTheI2sFile) {
  const MappedFile other_file(kModels + "paris-a-i2_s.x86_128.gguf");
  const gguf::File other = gguf::parse(other_file.bytes());
  for (const std::string type : {"tq1_0", "tq2_0"}) {
    const MappedFile mapped(kModels + "paris-a-" + type + ".gguf");
    const gguf::File file = gguf::parse(mapped.bytes());
    EXPECT_EQ(count_of(file, type), 28U);
    for (const gguf::I2sSlice& slice : gguf::i2_s_slices(other)) {
      const gguf::Tensor* t = file.tensor(slice.tensor->name);
      ASSERT_NE(t, nullptr);
      Bytes codes(static_cast<size_t>(slice.shape.k * slice.shape.rows));
      i2_s::unpack(i2_s::Layout::x86_128, slice.shape, slice.bytes, codes);
      std::vector<double> expected;
      for (uint8_t c : codes) expected.push_back(double{slice.scale} * i2_s::weight_of(c));
      EXPECT_EQ(values_of(file, *t), expected) << type << " " << t->name;
    }
  }
}

TEST(TqModels, PackingAgainGivesTheFilesBytes) {
  for (const std::string model : {"paris-a", "paris-b"}) {
    for (const std::string type : {"tq1_0", "tq2_0"}) {
      const MappedFile mapped(kModels + model + "-" + type + ".gguf");
      const gguf::File file = gguf::parse(mapped.bytes());
      const blocks::Format& format = type == "tq1_0" ? tq1_0::kFormat : tq2_0::kFormat;
      for (const gguf::Tensor& t : file.tensors) {
        if (t.type_name != type) continue;
        const auto data = file.data(t);
        Bytes again;
        for (size_t b = 0; b < blocks::count(format, "test", data.size()); ++b) {
          const auto bytes = blocks::nth(format, data, b);
          const Bytes block =
              type == "tq1_0" ? packed(tq1_0::unpack(bytes), format.bytes) : packed(tq2_0::unpack(bytes), format.bytes);
          again.insert(again.end(), block.begin(), block.end());
        }
        EXPECT_TRUE(std::equal(again.begin(), again.end(), data.begin(), data.end())) << model << " " << t.name;
      }
    }
  }
}

}  // namespace
}  // namespace tritcheck
