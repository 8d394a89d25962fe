#include "reference/q8_1.h"

#include <algorithm>
#include <numeric>

#include "reference/half.h"
#include "reference/rounding.h"

namespace tritcheck::q8_1 {
namespace {

constexpr size_t kSumAt = 2;
constexpr size_t kCodesAt = 4;

}  // namespace

int64_t row_bytes(int64_t k) {
  return blocks::row_bytes(kFormat, k);
}

Block unpack(std::span<const uint8_t> bytes) {
  blocks::require_block(kFormat, "unpack", bytes.size());
  Block block;
  block.d = blocks::load_u16(bytes, 0);
  block.s = blocks::load_u16(bytes, kSumAt);
  for (size_t e = 0; e < kBlock; ++e) block.q[e] = static_cast<int8_t>(bytes[kCodesAt + e]);
  return block;
}

void pack(const Block& block, std::span<uint8_t> bytes) {
  blocks::require_block(kFormat, "pack", bytes.size());
  blocks::store_u16(bytes, 0, block.d);
  blocks::store_u16(bytes, kSumAt, block.s);
  for (size_t e = 0; e < kBlock; ++e) bytes[kCodesAt + e] = static_cast<uint8_t>(block.q[e]);
}

void quantize_row(Variant variant, std::span<const float> x, std::span<uint8_t> row) {
  blocks::require_row(kFormat, "quantize_row", x.size(), row.size());
  rounding::require_finite("q8_1", x);
  for (size_t b = 0; b < x.size() / kBlock; ++b) {
    const q8_0::Unrounded block = q8_0::quantize_block("q8_1", variant, x.subspan(b * kBlock, kBlock), b);
    const float s = static_cast<float>(std::accumulate(block.q.begin(), block.q.end(), 0)) * block.d;
    pack({block.q, f16::from_float(block.d), f16::from_float(s)}, row.subspan(b * kBytes, kBytes));
  }
}

}  // namespace tritcheck::q8_1
