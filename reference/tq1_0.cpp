#include "reference/tq1_0.h"

#include "reference/half.h"

namespace tritcheck::tq1_0 {
namespace {

constexpr size_t kCodeBytes = 52;
constexpr size_t kScaleAt = 52;
constexpr int kPowers[] = {1, 3, 9, 27, 81};

// The byte of the base-3 number v in 0..242.
uint8_t byte_of(int v) {
  return static_cast<uint8_t>((256 * v + 242) / 243);
}

}  // namespace

int trit(uint8_t byte, int i) {
  return ((byte * kPowers[i] & 255) * 3) >> 8;
}

bool is_canonical(uint8_t byte) {
  int v = 0;
  for (int i = 0; i < 5; ++i) v = 3 * v + trit(byte, i);
  return byte_of(v) == byte;
}

Position position(size_t e) {
  if (e < 160) return {e % 32, static_cast<int>(e / 32)};
  if (e < 240) return {32 + (e - 160) % 16, static_cast<int>((e - 160) / 16)};
  return {48 + (e - 240) % 4, static_cast<int>((e - 240) / 4)};
}

int64_t row_bytes(int64_t k) {
  return blocks::row_bytes(kFormat, k);
}

Block unpack(std::span<const uint8_t> bytes) {
  blocks::require_block(kFormat, "unpack", bytes.size());
  Block block;
  for (size_t e = 0; e < kBlock; ++e) {
    const Position p = position(e);
    block.codes[e] = static_cast<uint8_t>(trit(bytes[p.byte], p.trit));
  }
  block.d = blocks::load_u16(bytes, kScaleAt);
  return block;
}

void pack(const Block& block, std::span<uint8_t> bytes) {
  blocks::require_block(kFormat, "pack", bytes.size());
  std::array<int, kCodeBytes> v{};
  for (size_t e = 0; e < kBlock; ++e) {
    blocks::require_code(kFormat, e, block.codes[e], kLargestCode);
    const Position p = position(e);
    v[p.byte] += block.codes[e] * kPowers[4 - p.trit];
  }
  for (size_t b = 0; b < kCodeBytes; ++b) bytes[b] = byte_of(v[b]);
  blocks::store_u16(bytes, kScaleAt, block.d);
}

void dequantize_row(std::span<const uint8_t> row, std::span<double> out) {
  blocks::dequantize_row(
      kFormat, row, out, unpack, [](const Block& block) -> double { return f16::to_float(block.d); },
      [](const Block& block, size_t e) -> double { return block.codes[e] - kOffset; });
}

}  // namespace tritcheck::tq1_0
