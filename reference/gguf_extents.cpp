// Where the tensors' data lie in a GGUF file.
#include <algorithm>
#include <numeric>

#include "reference/gguf_detail.h"

namespace tritcheck::gguf {

std::optional<uint64_t> padded(uint64_t x, uint64_t alignment) {
  uint64_t sum = 0;
  if (__builtin_add_overflow(x, alignment - 1, &sum)) return std::nullopt;
  return sum & ~(alignment - 1);
}

std::string tensor_field(const Tensor& tensor, std::string_view field) {
  return "tensor \"" + printable(tensor.name) + "\" " + std::string(field);
}

void add_finding(File& file, std::string field, uint64_t offset, std::string text) {
  if (file.findings.size() < kMaxFindings) {
    file.findings.push_back({std::move(field), offset, std::move(text)});
  } else {
    ++file.findings_dropped;
  }
}

namespace {

// The offset is the last field of a description: name, n_dims, dims, type, offset.
uint64_t offset_field_at(const Tensor& t) {
  return t.info_offset + 8 + t.name.size() + 4 + uint64_t{8} * t.n_dims + 4;
}

}  // namespace

std::vector<size_t> place_tensors(File& file) {
  const uint64_t size = file.bytes.size();
  for (Tensor& t : file.tensors) {
    if (t.offset % file.alignment != 0) {
      throw Error(tensor_field(t, "offset"), offset_field_at(t),
                  std::to_string(t.offset) + " is not a multiple of the alignment " + std::to_string(file.alignment));
    }
    if (t.offset >= size - file.data_start) {
      throw Error(tensor_field(t, "offset"), offset_field_at(t),
                  std::to_string(t.offset) + " lies outside the data section of " +
                      std::to_string(size - file.data_start) + " bytes");
    }
    t.data_offset = file.data_start + t.offset;
  }
  std::vector<size_t> order(file.tensors.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return file.tensors[a].offset < file.tensors[b].offset; });
  for (size_t i = 0; i < order.size(); ++i) {
    Tensor& t = file.tensors[order[i]];
    const uint64_t end = i + 1 < order.size() ? file.tensors[order[i + 1]].data_offset : size;
    t.room = end - t.data_offset;
    if (t.room == 0) {
      const Tensor& other = file.tensors[order[i + 1]];
      throw Error(tensor_field(other, "offset"), offset_field_at(other),
                  "overlap: tensor \"" + printable(t.name) + "\" has the same offset");
    }
  }
  return order;
}

void check_extents(File& file, const std::vector<size_t>& order) {
  for (size_t i = 0; i < order.size(); ++i) {
    const Tensor& t = file.tensors[order[i]];
    if (!t.nbytes) continue;
    const bool last = i + 1 == order.size();
    if (*t.nbytes > t.room) {
      const std::string sized =
          std::to_string(*t.nbytes) + " bytes of " + t.type_name + " from byte " + std::to_string(t.data_offset);
      if (last) {
        throw Error(tensor_field(t, "data"), t.data_offset,
                    "the file ends inside it (" + sized + ", " + std::to_string(t.room) + " left)");
      }
      const Tensor& next = file.tensors[order[i + 1]];
      throw Error(tensor_field(next, "offset"), offset_field_at(next),
                  "overlap: tensor \"" + printable(t.name) + "\" has " + sized + ", this one begins at " +
                      std::to_string(next.data_offset));
    }
    const std::optional<uint64_t> full = padded(*t.nbytes, file.alignment);
    if (last && *t.nbytes < t.room && full && *full < t.room) {
      add_finding(file, "file", t.data_offset + *full,
                  std::to_string(t.room - *full) + " trailing bytes behind the last tensor");
    } else if (last && full && *full > t.room) {
      add_finding(file, tensor_field(t, "data"), t.data_offset,
                  "the padding behind the last tensor is missing: mainline ggml refuses to load it");
    } else if (!last && full && *full < t.room) {
      add_finding(
          file, tensor_field(t, "data"), t.data_offset,
          "not contiguous: " + std::to_string(t.room - *full) + " unused bytes follow, mainline ggml refuses the file");
    }
  }
  if (!file.tensors.empty() && file.tensors[order[0]].offset != 0) {
    const Tensor& first = file.tensors[order[0]];
    add_finding(file, tensor_field(first, "offset"), offset_field_at(first),
                "not contiguous: the first data begin at " + std::to_string(first.offset) + ", not at 0");
  }
  if (!std::is_sorted(order.begin(), order.end())) {
    add_finding(file, "tensors", file.data_start,
                "not contiguous: the data lie in another order than the descriptions, mainline ggml refuses the file");
  }
  if (file.tensors.empty() && file.data_start < file.bytes.size()) {
    add_finding(file, "file", file.data_start,
                std::to_string(file.bytes.size() - file.data_start) + " trailing bytes, but there are no tensors");
  }
}

}  // namespace tritcheck::gguf
