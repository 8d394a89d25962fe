// TL2's shapes, sizes and positions.
#include <cstddef>

#include "reference/tl2.h"

namespace tritcheck::tl2 {
namespace {

// K, M and the tiles. The generator is given tiles by model, one for each shape of its matrices, in this order.
constexpr Preset kPresets[] = {
    {"bitnet_b1_58-large", {4096, 1536, {256, 96}}}, {"bitnet_b1_58-large", {1536, 1536, {128, 192}}},
    {"bitnet_b1_58-large", {1536, 4096, {256, 96}}}, {"bitnet_b1_58-3B", {8640, 3200, {160, 96}}},
    {"bitnet_b1_58-3B", {3200, 3200, {320, 96}}},    {"bitnet_b1_58-3B", {3200, 8640, {320, 96}}},
    {"Llama3-8B-1.58", {4096, 14336, {256, 96}}},    {"Llama3-8B-1.58", {14336, 4096, {128, 96}}},
    {"Llama3-8B-1.58", {4096, 1024, {256, 96}}},     {"Llama3-8B-1.58", {4096, 4096, {128, 96}}},
};

std::string not_a_multiple(const std::string& name, int64_t value, const std::string& of) {
  return name + " = " + std::to_string(value) + " is not a multiple of " + of;
}

// Where a row is stored within its block of 32: bits 3 and 4 of its number change places.
int64_t stored_row(int64_t row) {
  const int64_t in_block = row % 32;
  return (in_block & 7) | (in_block & 8) << 1 | (in_block & 16) >> 1;
}

// Number of a block of 32 rows, counted in the order they are stored in: tiles of rows, of columns, blocks in a tile.
int64_t block_number(const Shape& shape, int64_t row, int64_t k_tiles, int64_t k_tile) {
  const int64_t tile_rows = shape.tiles.rows;
  return (row / tile_rows * k_tiles + k_tile) * (tile_rows / 32) + row % tile_rows / 32;
}

}  // namespace

std::span<const Preset> presets() {
  return kPresets;
}

std::optional<std::string> why_illegal(const Shape& shape) {
  const Tiles& t = shape.tiles;
  if (shape.rows < 1) return "M = " + std::to_string(shape.rows) + " is not positive";
  if (shape.k < 256) return "K = " + std::to_string(shape.k) + " is below 256: the size of the tensor goes negative";
  if (t.rows < 1) return "BM = " + std::to_string(t.rows) + " is not positive";
  if (t.k < 1) return "BBK = " + std::to_string(t.k) + " is not positive";
  int64_t limit = 0;
  if (__builtin_mul_overflow(shape.k, shape.rows, &limit) || __builtin_mul_overflow(limit, 5, &limit)) {
    return "5 * K * M does not fit 64 bits";
  }
  if (t.rows % 32 != 0) return not_a_multiple("BM", t.rows, "32");
  if (t.k % 24 != 0) return not_a_multiple("BBK", t.k, "24");
  if (shape.rows % t.rows != 0) return not_a_multiple("M", shape.rows, "BM = " + std::to_string(t.rows));
  if (two_k(shape) % 32 != 0) return not_a_multiple("K % BBK", two_k(shape), "32");
  if (code_bytes(shape) > scale_at(shape)) {
    return "K % BBK = " + std::to_string(two_k(shape)) +
           " columns in pairs take more than the 256 a tensor has room for";
  }
  return std::nullopt;
}

int64_t three_k(const Shape& shape) {
  return shape.k / shape.tiles.k * shape.tiles.k;
}

int64_t two_k(const Shape& shape) {
  return shape.k % shape.tiles.k;
}

int64_t signs_at(const Shape& shape) {
  return three_k(shape) * shape.rows / 6;
}

int64_t two_part_at(const Shape& shape) {
  return signs_at(shape) + three_k(shape) * shape.rows / 24;
}

int64_t code_bytes(const Shape& shape) {
  return two_part_at(shape) + two_k(shape) * shape.rows / 4;
}

int64_t scale_at(const Shape& shape) {
  const int64_t by_three = (shape.k - 256) * shape.rows / 3 * 5 / 8;
  const int64_t by_two = 256 * shape.rows / 2 * 4 / 8;
  return (by_three + by_two + 31) / 32 * 32;
}

int64_t tensor_bytes(const Shape& shape) {
  return scale_at(shape) + kTailBytes;
}

TriplePosition triple_position(const Shape& shape, int64_t row, int64_t triple) {
  const int64_t tile_k = shape.tiles.k;
  const int64_t in_tile = triple % (tile_k / 3);
  const int64_t block = block_number(shape, row, three_k(shape) / tile_k, triple / (tile_k / 3));
  TriplePosition p;
  p.index = {(block * (tile_k / 6) + in_tile / 2) * 32 + stored_row(row), in_tile % 2 == 0 ? 4 : 0};
  const int64_t word = (block * (tile_k / 24) + in_tile / 8) * 16 + row % 16;
  const auto bit = static_cast<int>(15 - (2 * (in_tile % 8) + row % 32 / 16));
  p.sign_byte = signs_at(shape) + 2 * word + bit / 8;
  p.sign_bit = bit % 8;
  return p;
}

Position pair_position(const Shape& shape, int64_t row, int64_t pair) {
  const int64_t block = block_number(shape, row, two_k(shape) / 32, pair / 16);
  return {two_part_at(shape) + (block * 8 + pair % 16 / 2) * 32 + stored_row(row), pair % 2 == 0 ? 4 : 0};
}

}  // namespace tritcheck::tl2
