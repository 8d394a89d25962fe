#include "reference/tq2_0.h"

#include <algorithm>

#include "reference/half.h"

namespace tritcheck::tq2_0 {
namespace {

constexpr size_t kScaleAt = 64;

}  // namespace

Position position(size_t e) {
  return {e / 128 * 32 + e % 32, static_cast<int>(2 * (e % 128 / 32))};
}

int64_t row_bytes(int64_t k) {
  return blocks::row_bytes(kFormat, k);
}

Block unpack(std::span<const uint8_t> bytes) {
  blocks::require_block(kFormat, "unpack", bytes.size());
  Block block;
  for (size_t e = 0; e < kBlock; ++e) {
    const Position p = position(e);
    block.codes[e] = bytes[p.byte] >> p.shift & 3;
  }
  block.d = blocks::load_u16(bytes, kScaleAt);
  return block;
}

void pack(const Block& block, std::span<uint8_t> bytes) {
  blocks::require_block(kFormat, "pack", bytes.size());
  for (size_t e = 0; e < kBlock; ++e) blocks::require_code(kFormat, e, block.codes[e], kLargestCode);
  std::fill(bytes.begin(), bytes.end(), uint8_t{0});
  for (size_t e = 0; e < kBlock; ++e) {
    const Position p = position(e);
    bytes[p.byte] |= static_cast<uint8_t>(block.codes[e] << p.shift);
  }
  blocks::store_u16(bytes, kScaleAt, block.d);
}

void dequantize_row(std::span<const uint8_t> row, std::span<double> out) {
  blocks::dequantize_row(
      kFormat, row, out, unpack, [](const Block& block) -> double { return f16::to_float(block.d); },
      [](const Block& block, size_t e) -> double { return block.codes[e] - kOffset; });
}

}  // namespace tritcheck::tq2_0
