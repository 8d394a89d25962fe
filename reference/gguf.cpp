#include "reference/gguf.h"

#include <algorithm>
#include <bit>

#include "reference/gguf_cursor.h"
#include "reference/gguf_detail.h"

namespace tritcheck::gguf {
namespace {

constexpr uint64_t kEntryLeast = 13;   // empty key, type, one byte
constexpr uint64_t kTensorLeast = 24;  // empty name, no dims, type, offset
constexpr size_t kGgmlMaxName = 64;

void read_magic_and_version(Cursor& in, File& file) {
  const auto magic = in.take(4, "magic");
  constexpr uint8_t kMagic[] = {'G', 'G', 'U', 'F'};
  if (!std::equal(magic.begin(), magic.end(), kMagic)) {
    throw Error("magic", 0, "this is no GGUF file (it does not begin with the letters GGUF)");
  }
  file.version = in.u32("version");
  if (file.version == 2 || file.version == 3) return;
  std::string problem = "version " + std::to_string(file.version) + " is not known; this reader knows 2 and 3";
  if (file.version == 1) {
    problem = "version 1 (of August 2023) is not supported; convert the model again with a current converter";
  } else if (file.version != 0 && (file.version & 0xFFFF) == 0) {
    problem = "this is a big-endian (byte-swapped) file, not supported; convert the model again for little-endian";
  }
  throw Error("version", 4, problem);
}

void note_odd_values(File& file, const std::string& field, const Value& value) {
  if (value.type == ValueType::boolean && value.bits > 1) {
    add_finding(file, field, value.offset, "bool stored as " + std::to_string(value.bits) + ", read as true");
  }
  if (value.type != ValueType::array) return;
  if (value.element_type == ValueType::array) {
    add_finding(file, field, value.offset, "array of arrays: mainline ggml refuses the file");
  }
  if (value.element_type == ValueType::boolean) {
    const auto odd = std::count_if(value.payload.begin(), value.payload.end(), [](uint8_t b) { return b > 1; });
    if (odd > 0) {
      add_finding(file, field, value.offset, std::to_string(odd) + " bools are neither 0 nor 1, read as true");
    }
  }
}

void note_odd_name(File& file, const std::string& field, uint64_t offset, std::string_view text) {
  if (text.find('\0') != std::string_view::npos) {
    add_finding(file, field, offset, "contains a NUL byte: mainline ggml silently cuts it there");
  }
}

// Name of an entry or tensor: not yet taken, and remembered.
std::string_view unique_name(Cursor& in, std::map<std::string_view, size_t>& index, size_t i, std::string_view field) {
  const uint64_t at = in.offset();
  const std::string_view name = in.string(kMaxNameBytes, field);
  const auto [it, fresh] = index.try_emplace(name, i);
  if (!fresh)
    in.fail(field, at, "\"" + printable(name) + "\" is there already, as number " + std::to_string(it->second));
  return name;
}

void read_metadata(Cursor& in, File& file, uint64_t n_kv) {
  for (uint64_t i = 0; i < n_kv; ++i) {
    in.enter("metadata", i);
    Entry entry;
    entry.offset = in.offset();
    entry.key = unique_name(in, file.entry_index, i, "key");
    if (entry.key.empty()) in.fail("key", entry.offset, "the key is empty");
    in.set_name(entry.key);
    const ValueType type = in.value_type("value type");
    entry.value = in.value(type);
    const std::string field = in.field_name("value");
    note_odd_name(file, in.field_name("key"), entry.offset, entry.key);
    note_odd_values(file, field, entry.value);
    file.metadata.push_back(entry);
  }
  in.leave();
}

void read_alignment(File& file) {
  const Value* value = file.value("general.alignment");
  if (value == nullptr) return;
  const std::string field = "metadata \"general.alignment\" value";
  if (value->type != ValueType::u32) {
    throw Error(field, value->offset, "it must be a u32, but is a " + std::string(name(value->type)));
  }
  file.alignment = value->bits;
  if (!std::has_single_bit(file.alignment)) {
    throw Error(field, value->offset, std::to_string(file.alignment) + " is not a power of two");
  }
  if (file.alignment < 8) {
    add_finding(file, field, value->offset,
                "the format asks for a multiple of 8, not " + std::to_string(file.alignment));
  }
}

void read_dims(Cursor& in, Tensor& tensor) {
  const uint64_t at = in.offset();
  tensor.n_dims = in.u32("n_dims");
  if (tensor.n_dims > tensor.ne.size())
    in.fail("n_dims", at, std::to_string(tensor.n_dims) + " dims, at most 4 are allowed");
  for (uint32_t d = 0; d < tensor.n_dims; ++d) {
    const std::string field = "dims[" + std::to_string(d) + "]";
    const uint64_t dim_at = in.offset();
    const uint64_t dim = in.u64(field);
    if (dim == 0) in.fail(field, dim_at, "the dim is 0");
    if (!std::in_range<int64_t>(dim)) in.fail(field, dim_at, std::to_string(dim) + " is negative as a signed number");
    tensor.ne[d] = static_cast<int64_t>(dim);
    if (__builtin_mul_overflow(tensor.elements, tensor.ne[d], &tensor.elements)) {
      in.fail(field, dim_at, "the product of the dims does not fit 63 bits");
    }
  }
}

void read_tensor_infos(Cursor& in, File& file, uint64_t n_tensors) {
  for (uint64_t i = 0; i < n_tensors; ++i) {
    in.enter("tensor", i);
    Tensor tensor;
    tensor.info_offset = in.offset();
    tensor.name = unique_name(in, file.tensor_index, i, "name");
    in.set_name(tensor.name);
    note_odd_name(file, in.field_name("name"), tensor.info_offset, tensor.name);
    if (tensor.name.empty()) add_finding(file, in.field_name("name"), tensor.info_offset, "the name is empty");
    if (tensor.name.size() >= kGgmlMaxName) {
      add_finding(file, in.field_name("name"), tensor.info_offset,
                  "the name has " + std::to_string(tensor.name.size()) + " bytes: ggml refuses 64 and more");
    }
    read_dims(in, tensor);
    tensor.type_id = in.u32("type");
    tensor.offset = in.u64("offset");
    file.tensors.push_back(std::move(tensor));
  }
  in.leave();
}

}  // namespace

File parse(std::span<const uint8_t> bytes) {
  File file;
  file.bytes = bytes;
  Cursor in(bytes);
  read_magic_and_version(in, file);
  const uint64_t n_tensors = in.count(kMaxEntries, 1, "n_tensors");
  const uint64_t n_kv = in.count(kMaxEntries, kEntryLeast, "n_kv");
  if (n_tensors > in.left() / kTensorLeast) {
    throw Error("n_tensors", 8,
                std::to_string(n_tensors) + " tensors of at least 24 bytes each do not fit the " +
                    std::to_string(in.left()) + " bytes left");
  }
  read_metadata(in, file, n_kv);
  read_alignment(file);
  read_tensor_infos(in, file, n_tensors);

  file.data_start = in.offset();
  if (n_tensors > 0) {
    const auto start = padded(in.offset(), file.alignment);
    if (!start || *start > bytes.size()) {
      throw Error("data section", in.offset(),
                  "with alignment " + std::to_string(file.alignment) +
                      " it would begin behind the end of the file, byte " + std::to_string(bytes.size()));
    }
    file.data_start = *start;
  }
  const std::vector<size_t> order = place_tensors(file);
  resolve_types(file);
  check_extents(file, order);
  check_i2_s(file);
  return file;
}

const Value* File::value(std::string_view key) const {
  const auto it = entry_index.find(key);
  return it == entry_index.end() ? nullptr : &metadata[it->second].value;
}

const Tensor* File::tensor(std::string_view wanted) const {
  const auto it = tensor_index.find(wanted);
  return it == tensor_index.end() ? nullptr : &tensors[it->second];
}

std::span<const uint8_t> File::data(const Tensor& tensor) const {
  return bytes.subspan(static_cast<size_t>(tensor.data_offset),
                       static_cast<size_t>(tensor.nbytes.value_or(tensor.room)));
}

void File::wrong_type(std::string_view key, const Value& value) {
  std::string what(name(value.type));
  if (value.type == ValueType::array) what += " of " + std::string(name(value.element_type));
  throw Error("metadata \"" + printable(key) + "\" value", value.offset,
              "its type or size is not what is needed (" + what + ")");
}

void File::missing(std::string_view key) {
  // 24: where the metadata begins
  throw Error("metadata \"" + printable(key) + "\"", 24, "it is missing, but needed");
}

}  // namespace tritcheck::gguf
