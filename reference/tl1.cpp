#include "reference/tl1.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "reference/blocks.h"
#include "reference/tl_lut.h"

namespace tritcheck::tl1 {
namespace {

// K, M and the tiles. The generator is given tiles by model, one for each shape of its matrices, in this order.
constexpr Preset kPresets[] = {
    {"bitnet_b1_58-large", {4096, 1536, {256, 128, 32}}}, {"bitnet_b1_58-large", {1536, 1536, {128, 64, 64}}},
    {"bitnet_b1_58-large", {1536, 4096, {256, 128, 32}}}, {"bitnet_b1_58-3B", {8640, 3200, {160, 64, 32}}},
    {"bitnet_b1_58-3B", {3200, 3200, {320, 128, 64}}},    {"bitnet_b1_58-3B", {3200, 8640, {320, 64, 32}}},
    {"Llama3-8B-1.58", {4096, 14336, {256, 128, 32}}},    {"Llama3-8B-1.58", {14336, 4096, {128, 64, 64}}},
    {"Llama3-8B-1.58", {4096, 1024, {256, 128, 32}}},     {"Llama3-8B-1.58", {4096, 4096, {128, 64, 64}}},
};

std::string not_a_multiple(const std::string& name, int64_t value, const std::string& of, int64_t step) {
  return name + " = " + std::to_string(value) + " is not a multiple of " + of + " = " + std::to_string(step);
}

void require(const Shape& shape, size_t bytes) {
  if (const auto why = why_illegal(shape)) throw std::invalid_argument("tl1: " + *why);
  tl::require_enough("tl1", "bytes of indices", bytes, code_bytes(shape));
}

size_t index_at(std::span<const uint8_t> bytes, Position p) {
  return bytes[static_cast<size_t>(p.byte)] >> p.shift & 15U;
}

}  // namespace

std::span<const Preset> presets() {
  return kPresets;
}

std::optional<std::string> why_illegal(const Shape& shape) {
  const Tiles& t = shape.tiles;
  if (shape.k < 1) return "K = " + std::to_string(shape.k) + " is not positive";
  if (shape.rows < 1) return "M = " + std::to_string(shape.rows) + " is not positive";
  if (t.block_rows != 32 && t.block_rows != 64) return "bm = " + std::to_string(t.block_rows) + " is neither 32 nor 64";
  if (t.rows < 1) return "BM = " + std::to_string(t.rows) + " is not positive";
  if (t.k < 1) return "BBK = " + std::to_string(t.k) + " is not positive";
  int64_t elements = 0;
  if (__builtin_mul_overflow(shape.k, shape.rows, &elements)) return "K * M does not fit 64 bits";
  if (t.rows % t.block_rows != 0) return not_a_multiple("BM", t.rows, "bm", t.block_rows);
  const int64_t by = 256 / t.block_rows;
  if (t.k % by != 0) return not_a_multiple("BBK", t.k, "256 / bm", by);
  if (shape.rows % t.rows != 0) return not_a_multiple("M", shape.rows, "BM", t.rows);
  if (shape.k % t.k != 0) return not_a_multiple("K", shape.k, "BBK", t.k);
  return std::nullopt;
}

int64_t code_bytes(const Shape& shape) {
  return shape.rows * shape.k / 4;
}

int64_t tensor_bytes(const Shape& shape) {
  return code_bytes(shape) + kTailBytes;
}

Position position(const Shape& shape, int64_t row, int64_t pair) {
  const auto [tile_rows, tile_k, block_rows] = shape.tiles;
  const int64_t by = 256 / block_rows;
  const int64_t in_tile = pair % (tile_k / 2);
  const int64_t in_block = in_tile % (by / 2);
  int64_t at = row / tile_rows;
  at = at * (shape.k / tile_k) + pair / (tile_k / 2);
  at = at * (tile_rows / block_rows) + row % tile_rows / block_rows;
  at = at * (tile_k / by) + in_tile / (by / 2);
  at = at * (block_rows / 16) + row % block_rows / 16;
  at = at * (by / 4) + in_block / 2;
  return {at * 16 + row % 16, in_block % 2 == 0 ? 4 : 0};
}

void pack(const Shape& shape, std::span<const uint8_t> codes, std::span<uint8_t> bytes) {
  require(shape, bytes.size());
  tl::require_enough("tl1", "codes", codes.size(), shape.rows * shape.k);
  std::fill_n(bytes.begin(), code_bytes(shape), uint8_t{0});
  const uint8_t* code = codes.data();
  for (int64_t row = 0; row < shape.rows; ++row) {
    for (int64_t pair = 0; pair < shape.k / 2; ++pair, code += 2) {
      tl::require_trit("tl1", code[0], row, 2 * pair);
      tl::require_trit("tl1", code[1], row, 2 * pair + 1);
      const Position p = position(shape, row, pair);
      bytes[static_cast<size_t>(p.byte)] |= static_cast<uint8_t>((3 * code[0] + code[1]) << p.shift);
    }
  }
}

void unpack(const Shape& shape, std::span<const uint8_t> bytes, std::span<uint8_t> codes) {
  require(shape, bytes.size());
  tl::require_enough("tl1", "codes", codes.size(), shape.rows * shape.k);
  uint8_t* code = codes.data();
  for (int64_t row = 0; row < shape.rows; ++row) {
    for (int64_t pair = 0; pair < shape.k / 2; ++pair, code += 2) {
      const size_t index = index_at(bytes, position(shape, row, pair));
      tl::require_index("tl1", index, 9, row, 2 * pair);
      code[0] = static_cast<uint8_t>(index / 3);
      code[1] = static_cast<uint8_t>(index % 3);
    }
  }
}

float load_scale(const Shape& shape, std::span<const uint8_t> tensor) {
  tl::require_enough("tl1", "bytes of a tensor", tensor.size(), code_bytes(shape) + 4);
  return std::bit_cast<float>(blocks::load_u32(tensor, static_cast<size_t>(code_bytes(shape))));
}

void store_scale(const Shape& shape, std::span<uint8_t> tensor, float scale) {
  tl::require_enough("tl1", "bytes of a tensor", tensor.size(), code_bytes(shape) + 4);
  blocks::store_u32(tensor, static_cast<size_t>(code_bytes(shape)), std::bit_cast<uint32_t>(scale));
}

int64_t dot_explicit(const Shape& shape, std::span<const uint8_t> bytes, int64_t row, std::span<const int8_t> q) {
  require(shape, bytes.size());
  tl::require_enough("tl1", "activations", q.size(), shape.k);
  if (row < 0 || row >= shape.rows) throw std::invalid_argument("tl1: no row " + std::to_string(row));
  int64_t sum = 0;
  for (int64_t pair = 0; pair < shape.k / 2; ++pair) {
    const size_t index = index_at(bytes, position(shape, row, pair));
    tl::require_index("tl1", index, 9, row, 2 * pair);
    const int w0 = static_cast<int>(index / 3) - 1;
    const int w1 = static_cast<int>(index % 3) - 1;
    sum += w0 * q[static_cast<size_t>(2 * pair)] + w1 * q[static_cast<size_t>(2 * pair + 1)];
  }
  return sum;
}

}  // namespace tritcheck::tl1
