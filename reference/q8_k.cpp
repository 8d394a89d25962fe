#include "reference/q8_k.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "reference/rounding.h"

namespace tritcheck::q8_k {
namespace {

constexpr size_t kCodesAt = 4;
constexpr size_t kSumsAt = 260;

float largest(std::span<const float> x) {
  float max = 0;
  for (float v : x) {
    if (std::fabs(v) > std::fabs(max)) max = v;
  }
  return max;
}

Block quantize(std::span<const float> x, size_t number) {
  Block block;
  const float max = largest(x);
  if (max == 0) return block;
  const float iscale = -127.0F / max;
  rounding::require_finite_factor("q8_K", number, iscale);
  for (size_t e = 0; e < kBlock; ++e) {
    const float scaled = iscale * x[e];
    block.q[e] = static_cast<int8_t>(std::min(127.0, rounding::half_even(scaled)));
  }
  block.d = 1.0F / iscale;
  block.bsums = sums_of(block.q);
  return block;
}

}  // namespace

Sums sums_of(const Codes& q) {
  Sums sums{};
  for (size_t e = 0; e < kBlock; ++e) sums[e / kSumElements] = static_cast<int16_t>(sums[e / kSumElements] + q[e]);
  return sums;
}

int64_t row_bytes(int64_t k) {
  return blocks::row_bytes(kFormat, k);
}

Block unpack(std::span<const uint8_t> bytes) {
  blocks::require_block(kFormat, "unpack", bytes.size());
  Block block;
  block.d = std::bit_cast<float>(blocks::load_u32(bytes, 0));
  for (size_t e = 0; e < kBlock; ++e) block.q[e] = static_cast<int8_t>(bytes[kCodesAt + e]);
  for (size_t s = 0; s < kSums; ++s) block.bsums[s] = static_cast<int16_t>(blocks::load_u16(bytes, kSumsAt + 2 * s));
  return block;
}

void pack(const Block& block, std::span<uint8_t> bytes) {
  blocks::require_block(kFormat, "pack", bytes.size());
  blocks::store_u32(bytes, 0, std::bit_cast<uint32_t>(block.d));
  for (size_t e = 0; e < kBlock; ++e) bytes[kCodesAt + e] = static_cast<uint8_t>(block.q[e]);
  for (size_t s = 0; s < kSums; ++s) blocks::store_u16(bytes, kSumsAt + 2 * s, static_cast<uint16_t>(block.bsums[s]));
}

void dequantize_row(std::span<const uint8_t> row, std::span<double> out) {
  blocks::dequantize_row(
      kFormat, row, out, unpack, [](const Block& block) -> double { return block.d; },
      [](const Block& block, size_t e) -> double { return block.q[e]; });
}

void quantize_row(std::span<const float> x, std::span<uint8_t> row) {
  blocks::require_row(kFormat, "quantize_row", x.size(), row.size());
  rounding::require_finite("q8_K", x);
  for (size_t b = 0; b < x.size() / kBlock; ++b) {
    pack(quantize(x.subspan(b * kBlock, kBlock), b), row.subspan(b * kBytes, kBytes));
  }
}

}  // namespace tritcheck::q8_k
