#include <bit>
#include <cmath>

#include "reference/gguf.h"
#include "reference/gguf_detail.h"

namespace tritcheck::gguf {
namespace {

bool is_i2_s(const Tensor& t) {
  return t.type != nullptr && t.type->name == "i2_s";
}

float load_float(std::span<const uint8_t> bytes, uint64_t at) {
  uint32_t bits = 0;
  for (uint64_t i = 0; i < 4; ++i) bits |= uint32_t{bytes[static_cast<size_t>(at + i)]} << (8 * i);
  return std::bit_cast<float>(bits);
}

}  // namespace

std::vector<I2sSlice> i2_s_slices(const File& file) {
  std::vector<I2sSlice> out;
  for (const Tensor& t : file.tensors) {
    if (!is_i2_s(t) || !t.nbytes) continue;
    const bool per_slice = t.type->sizing == Sizing::per_slice;
    const int64_t slices = per_slice ? t.ne[2] * t.ne[3] : 1;
    const i2_s::Shape shape{t.ne[0], per_slice ? t.ne[1] : t.ne[1] * t.ne[2] * t.ne[3]};
    const auto size = static_cast<uint64_t>(i2_s::tensor_bytes(shape));
    for (int64_t i = 0; i < slices; ++i) {
      const uint64_t begin = t.data_offset + static_cast<uint64_t>(i) * size;
      const auto bytes = file.bytes.subspan(static_cast<size_t>(begin), static_cast<size_t>(size));
      out.push_back({&t, i, shape, bytes, begin, load_float(bytes, static_cast<uint64_t>(i2_s::code_bytes(shape)))});
    }
  }
  return out;
}

std::array<uint64_t, 4> code_histogram(const I2sSlice& slice) {
  std::array<uint64_t, 256> bytes{};
  for (uint8_t b : slice.bytes.first(static_cast<size_t>(i2_s::code_bytes(slice.shape)))) ++bytes[b];
  std::array<uint64_t, 4> codes{};
  for (size_t b = 0; b < bytes.size(); ++b) {
    for (int shift = 0; shift < 8; shift += 2) codes[(b >> shift) & 3] += bytes[b];
  }
  return codes;
}

std::optional<std::string_view> scale_problem(float scale) {
  if (std::isnan(scale)) return "NaN";
  if (std::isinf(scale)) return "infinite";
  if (scale == 0) return "zero";
  if (scale < 0) return "negative";
  return std::nullopt;
}

void check_i2_s(File& file) {
  for (const Tensor& t : file.tensors) {
    if (!is_i2_s(t)) continue;
    const std::string field = tensor_field(t, "data");
    if (t.ne[2] > 1 || t.ne[3] > 1) {
      add_finding(file, field, t.data_offset,
                  t.type->sizing == Sizing::per_slice
                      ? "3D i2_s with a scale at the end of each slice (the newer bitnet.cpp form)"
                      : "3D i2_s with one scale for all slices (the older bitnet.cpp form)");
    }
    const bool per_slice = t.type->sizing == Sizing::per_slice;
    if ((per_slice ? t.ne[0] * t.ne[1] : t.elements) % 4 != 0) {
      add_finding(file, field, t.data_offset,
                  "the number of weights is not a multiple of 4: the last ones are not stored");
    }
  }
  for (const I2sSlice& s : i2_s_slices(file)) {
    if (const auto problem = scale_problem(s.scale)) {
      const std::string which = s.tensor->type->sizing == Sizing::per_slice && s.tensor->ne[2] * s.tensor->ne[3] > 1
                                    ? "scale of slice " + std::to_string(s.index)
                                    : "scale";
      add_finding(file, tensor_field(*s.tensor, which), s.offset + static_cast<uint64_t>(i2_s::code_bytes(s.shape)),
                  "the scale is " + std::string(*problem));
    }
  }
}

}  // namespace tritcheck::gguf
