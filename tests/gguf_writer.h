// Writes GGUF files field by field, right or wrong. Knows nothing of the reader it tests.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tritcheck::testing {

class GgufWriter {
 public:
  using Bytes = std::vector<uint8_t>;

  GgufWriter& number(uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes_.push_back(static_cast<uint8_t>(value >> (8 * i)));
    return *this;
  }
  GgufWriter& u8(uint64_t v) { return number(v, 1); }
  GgufWriter& u32(uint64_t v) { return number(v, 4); }
  GgufWriter& u64(uint64_t v) { return number(v, 8); }
  GgufWriter& f32(float v) { return u32(std::bit_cast<uint32_t>(v)); }
  GgufWriter& text(std::string_view s) {
    bytes_.insert(bytes_.end(), s.begin(), s.end());
    return *this;
  }
  GgufWriter& string(std::string_view s) { return u64(s.size()).text(s); }
  GgufWriter& fill(size_t n, int value = 0) {
    bytes_.insert(bytes_.end(), n, static_cast<uint8_t>(value));
    return *this;
  }
  GgufWriter& pad(size_t alignment = 32) {
    while (bytes_.size() % alignment != 0) bytes_.push_back(0);
    return *this;
  }

  GgufWriter& header(uint64_t n_tensors, uint64_t n_kv, uint64_t version = 3) {
    return text("GGUF").u32(version).u64(n_tensors).u64(n_kv);
  }
  /// Key and value type; the value follows.
  GgufWriter& key(std::string_view name, uint64_t type) { return string(name).u32(type); }
  GgufWriter& info(std::string_view name, const std::vector<uint64_t>& dims, uint64_t type, uint64_t offset) {
    string(name).u32(dims.size());
    for (uint64_t d : dims) u64(d);
    return u32(type).u64(offset);
  }
  /// Data of an I2_S matrix of n weights: all codes `code`, scale, zero tail.
  GgufWriter& i2_s(size_t n, float scale, unsigned code = 1) {
    return fill(n / 4, static_cast<int>(code * 0x55)).f32(scale).fill(28);
  }

  GgufWriter& append(const GgufWriter& other) {
    bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
    return *this;
  }

  size_t size() const { return bytes_.size(); }
  const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

/// Numbers of GGUF value types and ggml tensor types.
enum : uint64_t { kU8, kI8, kU16, kI16, kU32, kI32, kF32, kBool, kString, kArray, kU64, kI64, kF64 };
enum : uint64_t {
  kTensorF32 = 0,
  kTensorF16 = 1,
  kTensorQ4_0 = 2,
  kTensorQ4_K = 12,
  kTensorTq2_0 = 35,
  kTensorI2s = 36
};

/// A small valid file with every kind of value: 9 entries, 3 tensors, the last of which fills its alignment, so that
/// every shorter file is wrong.
inline GgufWriter small_gguf() {
  GgufWriter w;
  w.header(3, 9);
  w.key("general.architecture", kString).string("bitnet-b1.58");
  w.key("general.alignment", kU32).u32(32);
  w.key("n.u64", kU64).u64(uint64_t{1} << 40);
  w.key("n.i8", kI8).u8(0x80);
  w.key("n.f32", kF32).f32(0.5F);
  w.key("n.f64", kF64).u64(std::bit_cast<uint64_t>(0.25));
  w.key("flag", kBool).u8(1);
  w.key("tokens", kArray).u32(kString).u64(3).string("a").string("").string("ccc");
  w.key("types", kArray).u32(kI16).u64(2).number(0xFFFF, 2).number(7, 2);
  w.info("norm", {4}, kTensorF32, 0);
  w.info("w", {128, 2}, kTensorI2s, 32);
  w.info("out", {8}, kTensorF32, 128);
  w.pad().f32(1).f32(2).f32(3).f32(4).fill(16);
  w.i2_s(256, 0.5F, 2);
  w.fill(32, 0x3F);
  return w;
}

}  // namespace tritcheck::testing
