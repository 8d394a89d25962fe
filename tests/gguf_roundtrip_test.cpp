// Random files written by the tests' writer are read back equal.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "reference/gguf.h"
#include "tests/gguf_writer.h"

namespace tritcheck::gguf {
namespace {

using testing::GgufWriter;

// A value as the writer's bytes and as what the reader should say: numbers by their bits, arrays by their elements.
struct Model {
  ValueType type = ValueType::u8;
  uint64_t bits = 0;
  std::string text;
  ValueType element_type = ValueType::u8;
  std::vector<Model> elements;
};

uint64_t size_of(ValueType type) {
  switch (type) {
    case ValueType::u8:
    case ValueType::i8:
    case ValueType::boolean:
      return 1;
    case ValueType::u16:
    case ValueType::i16:
      return 2;
    case ValueType::u32:
    case ValueType::i32:
    case ValueType::f32:
      return 4;
    default:
      return 8;
  }
}

Model any_value(ValueType type, int depth) {
  Model m;
  m.type = type;
  if (type == ValueType::string) {
    m.text = *rc::gen::arbitrary<std::string>();
  } else if (type == ValueType::array) {
    const uint32_t last = depth == 1 ? 8 : 12;  // below 9 there is no array
    m.element_type = static_cast<ValueType>(*rc::gen::inRange<uint32_t>(0, last + 1));
    const int n = *rc::gen::inRange(0, 5);
    for (int i = 0; i < n; ++i) m.elements.push_back(any_value(m.element_type, depth - 1));
  } else {
    m.bits = *rc::gen::arbitrary<uint64_t>();
    if (type == ValueType::boolean) m.bits &= 1;
    if (size_of(type) < 8) m.bits &= (uint64_t{1} << 8 * size_of(type)) - 1;
  }
  return m;
}

void write(GgufWriter& w, const Model& m) {
  if (m.type == ValueType::string) {
    w.string(m.text);
  } else if (m.type == ValueType::array) {
    w.u32(static_cast<uint32_t>(m.element_type)).u64(m.elements.size());
    for (const Model& e : m.elements) write(w, e);
  } else {
    w.number(m.bits, static_cast<int>(size_of(m.type)));
  }
}

void expect_equal(const Value& v, const Model& m) {
  RC_ASSERT(v.type == m.type);
  RC_ASSERT(v.bits == m.bits);
  RC_ASSERT(v.text == m.text);
  if (m.type != ValueType::array) return;
  RC_ASSERT(v.element_type == m.element_type);
  Elements elements(v);
  for (const Model& e : m.elements) expect_equal(elements.next().value(), e);
  RC_ASSERT(!elements.next());
}

struct TensorModel {
  std::vector<uint64_t> dims;
  uint64_t type = 0;
  uint64_t elements = 1;
  uint64_t bytes = 0;
};

TensorModel any_tensor() {
  constexpr uint64_t kTypes[] = {testing::kTensorF32, testing::kTensorF16, testing::kTensorQ4_0, testing::kTensorI2s};
  TensorModel t;
  t.type = kTypes[*rc::gen::inRange<size_t>(0, 4)];
  const int n_dims = *rc::gen::inRange(1, 3);
  t.dims.push_back(32 * *rc::gen::inRange<uint64_t>(1, 6));
  if (n_dims > 1) t.dims.push_back(*rc::gen::inRange<uint64_t>(1, 6));
  for (uint64_t d : t.dims) t.elements *= d;
  t.bytes = t.type == testing::kTensorF32   ? 4 * t.elements
            : t.type == testing::kTensorF16 ? 2 * t.elements
            : t.type == testing::kTensorI2s ? t.elements / 4 + 32
                                            : t.elements / 32 * 18;
  return t;
}

RC_GTEST_PROP(GgufRoundTrip, RandomFilesReadBackEqual, ()) {
  const uint64_t alignment = uint64_t{8} << *rc::gen::inRange(0, 5);
  std::vector<Model> values;
  const int n_kv = *rc::gen::inRange(0, 8);
  for (int i = 0; i < n_kv; ++i) {
    values.push_back(any_value(static_cast<ValueType>(*rc::gen::inRange<uint32_t>(0, kValueTypes)), kMaxArrayDepth));
  }
  std::vector<TensorModel> tensors;
  const int n_tensors = *rc::gen::inRange(0, 6);
  for (int i = 0; i < n_tensors; ++i) tensors.push_back(any_tensor());

  GgufWriter w;
  w.header(tensors.size(), values.size() + 1, *rc::gen::element<uint64_t>(2, 3));
  for (size_t i = 0; i < values.size(); ++i) {
    w.key("key" + std::to_string(i), static_cast<uint32_t>(values[i].type));
    write(w, values[i]);
  }
  w.key("general.alignment", testing::kU32).u32(alignment);
  uint64_t offset = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    w.info("t" + std::to_string(i), tensors[i].dims, tensors[i].type, offset);
    offset += (tensors[i].bytes + alignment - 1) / alignment * alignment;
  }
  if (!tensors.empty()) w.pad(alignment);
  for (size_t i = 0; i < tensors.size(); ++i) w.fill(tensors[i].bytes, static_cast<int>(i + 1)).pad(alignment);

  const File file = parse(w.bytes());
  RC_ASSERT(file.metadata.size() == values.size() + 1);
  for (size_t i = 0; i < values.size(); ++i) {
    const Value* v = file.value("key" + std::to_string(i));
    RC_ASSERT(v == &file.metadata[i].value);
    expect_equal(*v, values[i]);
  }
  RC_ASSERT(file.tensors.size() == tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = file.tensors[i];
    RC_ASSERT(file.tensor("t" + std::to_string(i)) == &t);
    RC_ASSERT(t.n_dims == tensors[i].dims.size());
    for (size_t d = 0; d < t.n_dims; ++d) RC_ASSERT(t.ne[d] == static_cast<int64_t>(tensors[i].dims[d]));
    RC_ASSERT(static_cast<uint64_t>(t.elements) == tensors[i].elements);
    RC_ASSERT(t.nbytes == tensors[i].bytes);
    for (uint8_t byte : file.data(t)) RC_ASSERT(byte == i + 1);
  }
}

}  // namespace
}  // namespace tritcheck::gguf
