// GGUF reader: a checked view of a file that is already in memory.
//
//   gguf::File file = gguf::parse(bytes);                 // throws gguf::Error; `bytes` must outlive the view
//   uint32_t layers = file.get<uint32_t>("bitnet-b1.58.block_count");
//   const gguf::Tensor* t = file.tensor("blk.0.attn_q.weight");
//   for (const gguf::I2sSlice& s : gguf::i2_s_slices(file)) ...
//
// Nothing in the file is trusted: a count is compared with the bytes left before it is used, products are checked,
// tensors must be aligned, inside the file and apart. What other readers refuse but we can read is a Finding.
// Work and memory are O(n log n) in the file's size, tensor data excluded: it is never touched, but for I2_S scales.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/gguf_types.h"
#include "reference/gguf_value.h"
#include "reference/i2_s.h"

namespace tritcheck::gguf {

inline constexpr uint64_t kMaxEntries = 1'000'000;  ///< metadata entries, and tensors
inline constexpr uint64_t kMaxNameBytes = 65535;    ///< of a metadata key or tensor name
inline constexpr uint64_t kMaxStringBytes = 1U << 30;
inline constexpr uint64_t kMaxArrayElements = 1U << 30;
inline constexpr int kMaxArrayDepth = 4;      ///< 1: an array of plain values
inline constexpr size_t kMaxFindings = 1000;  ///< further ones are only counted
inline constexpr uint64_t kDefaultAlignment = 32;

/// Something odd that did not stop the reading.
struct Finding {
  std::string field;    ///< as in Error: `tensor "output.weight" offset`
  uint64_t offset = 0;  ///< byte of the file
  std::string text;
};

struct Entry {
  std::string_view key;
  uint64_t offset = 0;  ///< byte at which the entry begins
  Value value;
};

struct Tensor {
  std::string_view name;
  uint64_t info_offset = 0;  ///< byte at which its description begins
  uint32_t n_dims = 0;       ///< as stored, 0..4
  Dims ne = {1, 1, 1, 1};
  int64_t elements = 1;
  uint32_t type_id = 0;
  const TypeTraits* type = nullptr;  ///< nullptr if the id is unknown, or the dialect is ambiguous for this tensor
  std::string type_name;             ///< "i2_s"; "mxfp4 or tl2" if ambiguous; "unknown"
  uint64_t offset = 0;               ///< as stored, relative to the data section
  uint64_t data_offset = 0;          ///< byte of the file at which the data begins
  std::optional<uint64_t> nbytes;    ///< nothing if the type is unknown, or readings of it differ in size
  uint64_t room = 0;                 ///< bytes up to the next tensor's data or the end of the file; nbytes <= room
};

/// How type ids that mean different things to different programs were read.
struct Reading {
  std::vector<Dialect> dialects;     ///< those that explain the file equally well; all if no id is disputed
  bool ambiguous = false;            ///< they disagree on some tensor
  std::string summary;               ///< one line: what was decided and by what
  std::vector<std::string> reasons;  ///< one line per dialect; empty if no id is disputed
};

struct File {
  std::span<const uint8_t> bytes;
  uint32_t version = 0;  ///< 2 or 3
  uint64_t alignment = kDefaultAlignment;
  uint64_t data_start = 0;      ///< byte at which the data section begins
  std::vector<Entry> metadata;  ///< in file order
  std::vector<Tensor> tensors;  ///< in file order
  Reading reading;
  std::vector<Finding> findings;
  uint64_t findings_dropped = 0;  ///< beyond kMaxFindings

  std::map<std::string_view, size_t> entry_index;
  std::map<std::string_view, size_t> tensor_index;

  const Value* value(std::string_view key) const;     ///< nullptr if absent
  const Tensor* tensor(std::string_view name) const;  ///< nullptr if absent
  /// The tensor's bytes: nbytes of them, or all the room if the size is unknown.
  std::span<const uint8_t> data(const Tensor& tensor) const;

  /// The value of that key, or nothing if there is none. Throws Error if it is there and no T (see as<T>()).
  template <class T>
  std::optional<T> find(std::string_view key) const {
    const Value* v = value(key);
    if (v == nullptr) return std::nullopt;
    const std::optional<T> out = as<T>(*v);
    if (!out) wrong_type(key, *v);
    return out;
  }
  template <class T>
  std::optional<std::vector<T>> find_array(std::string_view key) const {
    const Value* v = value(key);
    if (v == nullptr) return std::nullopt;
    std::optional<std::vector<T>> out = array_as<T>(*v);
    if (!out) wrong_type(key, *v);
    return out;
  }
  /// The same, but absence is an Error as well.
  template <class T>
  T get(std::string_view key) const {
    const std::optional<T> out = find<T>(key);
    if (!out) missing(key);
    return *out;
  }
  template <class T>
  std::vector<T> get_array(std::string_view key) const {
    std::optional<std::vector<T>> out = find_array<T>(key);
    if (!out) missing(key);
    return std::move(*out);
  }

 private:
  [[noreturn]] static void wrong_type(std::string_view key, const Value& value);
  [[noreturn]] static void missing(std::string_view key);
};

/// Reads versions 2 and 3, little-endian. Throws Error for anything malformed; version 1 and big-endian files are
/// refused by name.
File parse(std::span<const uint8_t> bytes);

/// One matrix of I2_S weights with the one scale that belongs to it.
struct I2sSlice {
  const Tensor* tensor = nullptr;
  int64_t index = 0;               ///< 0 but in 3D tensors with one scale per slice
  i2_s::Shape shape;               ///< of this slice; a 3D tensor with one scale is one tall matrix
  std::span<const uint8_t> bytes;  ///< codes, scale and tail: i2_s::tensor_bytes(shape)
  uint64_t offset = 0;             ///< byte of the file at which they begin
  float scale = 0;
};

/// All I2_S weights of the file, in file order; tensors whose form is ambiguous are left out.
std::vector<I2sSlice> i2_s_slices(const File& file);

/// How often each code 0..3 occurs. Needs no layout: all four keep four whole codes in a byte.
std::array<uint64_t, 4> code_histogram(const I2sSlice& slice);

/// What is wrong with a scale: "NaN", "infinite", "zero", "negative"; nothing if it can be one.
std::optional<std::string_view> scale_problem(float scale);

}  // namespace tritcheck::gguf
