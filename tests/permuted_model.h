// A model that is as good as a shipped one and shares no byte of its weights with it: the residual stream's dimensions
// and the feed-forward units are numbered in another order, which changes nothing but the order of sums.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "reference/gguf.h"
#include "reference/i2_s.h"
#include "reference/prng.h"
#include "tests/temp_folder.h"

namespace tritcheck::testing {

class PermutedModel {
 public:
  /// Of a canonical (x86_128) I2_S file with F16 embeddings.
  PermutedModel(const std::string& path, uint64_t seed) : bytes_(contents(path)) {
    const gguf::File file = gguf::parse(view());
    const gguf::Tensor& embedding = *file.tensor("token_embd.weight");
    embd_ = order(embedding.ne[0], seed);
    const auto description = bytes_.find("encoding i2_s.x86_128");
    if (description != std::string::npos) bytes_.replace(description, 21, "packed by a stranger.");
    rows<uint16_t>(embedding.data_offset, embedding.ne[1], embd_);
    for (const gguf::Tensor& t : file.tensors) {
      if (t.type_name != "f32" || t.n_dims != 1) continue;
      if (t.name.ends_with("attn_norm.weight") || t.name.ends_with("ffn_norm.weight") || t.name == "output_norm.weight")
        rows<float>(t.data_offset, 1, embd_);
      if (t.name.ends_with("ffn_sub_norm.weight")) {
        ff_ = order(t.ne[0], seed + 1);
        rows<float>(t.data_offset, 1, ff_);
      }
    }
    for (const gguf::I2sSlice& s : gguf::i2_s_slices(file)) matrix(s);
  }

  /// The file's bytes with the I2_S tensors packed in that layout.
  std::string packed(i2_s::Layout layout) const {
    std::string out = bytes_;
    for (const Packed& m : matrices_) {
      i2_s::pack(layout, m.shape, m.codes,
                 {reinterpret_cast<uint8_t*>(out.data()) + m.offset, static_cast<size_t>(i2_s::code_bytes(m.shape))});
    }
    return out;
  }

 private:
  using Order = std::vector<size_t>;
  struct Packed {
    i2_s::Shape shape;
    uint64_t offset;
    std::vector<uint8_t> codes;
  };

  std::span<const uint8_t> view() const { return {reinterpret_cast<const uint8_t*>(bytes_.data()), bytes_.size()}; }

  static Order order(int64_t n, uint64_t seed) {
    Order out(static_cast<size_t>(n));
    std::iota(out.begin(), out.end(), size_t{0});
    Prng rng(seed);
    for (size_t i = out.size() - 1; i > 0; --i) std::swap(out[i], out[rng.below(i + 1)]);
    return out;
  }

  template <class T>
  void rows(uint64_t offset, int64_t count, const Order& order) {
    std::vector<T> row(order.size());
    for (int64_t r = 0; r < count; ++r) {
      char* at = bytes_.data() + offset + static_cast<size_t>(r) * order.size() * sizeof(T);
      std::memcpy(row.data(), at, order.size() * sizeof(T));
      for (size_t i = 0; i < order.size(); ++i) std::memcpy(at + i * sizeof(T), &row[order[i]], sizeof(T));
    }
  }

  void matrix(const gguf::I2sSlice& s) {
    const std::string name(s.tensor->name);
    const auto k = static_cast<size_t>(s.shape.k);
    const auto n = static_cast<size_t>(s.shape.rows);
    const auto is = [&](const char* part) { return name.find(part) != std::string::npos; };
    const bool into_stream = is("attn_output") || is("ffn_down");
    Order columns(k);
    std::iota(columns.begin(), columns.end(), size_t{0});
    Order lines(n);
    std::iota(lines.begin(), lines.end(), size_t{0});
    if (!into_stream) columns = embd_;
    if (is("ffn_down")) columns = ff_;
    if (into_stream) lines = embd_;
    if (is("ffn_up") || is("ffn_gate")) lines = ff_;
    std::vector<uint8_t> old(k * n);
    i2_s::unpack(i2_s::Layout::x86_128, s.shape, s.bytes, old);
    Packed m{s.shape, s.offset, std::vector<uint8_t>(k * n)};
    for (size_t r = 0; r < n; ++r) {
      for (size_t j = 0; j < k; ++j) m.codes[r * k + j] = old[lines[r] * k + columns[j]];
    }
    matrices_.push_back(std::move(m));
  }

  std::string bytes_;
  Order embd_, ff_;
  std::vector<Packed> matrices_;
};

}  // namespace tritcheck::testing
