#include "reference/q8_0.h"

#include <algorithm>
#include <cmath>

#include "reference/half.h"
#include "reference/rounding.h"

namespace tritcheck::q8_0 {
namespace {

constexpr size_t kCodesAt = 2;

// The factor from numbers to codes.
float factor(Variant variant, float amax, float d) {
  if (variant == Variant::avx) return amax != 0 ? 127.0F / amax : 0.0F;
  return d != 0 ? 1.0F / d : 0.0F;
}

}  // namespace

Unrounded quantize_block(const char* format, Variant variant, std::span<const float> x, size_t number) {
  float amax = 0;
  for (float v : x) amax = std::max(amax, std::fabs(v));
  Unrounded block;
  block.d = amax / 127.0F;
  const float id = factor(variant, amax, block.d);
  rounding::require_finite_factor(format, number, id);
  for (size_t e = 0; e < kBlock; ++e) {
    const float scaled = x[e] * id;
    const double q = variant == Variant::ref ? rounding::half_away(scaled) : rounding::half_even(scaled);
    block.q[e] = static_cast<int8_t>(q);
  }
  return block;
}

int64_t row_bytes(int64_t k) {
  return blocks::row_bytes(kFormat, k);
}

Block unpack(std::span<const uint8_t> bytes) {
  blocks::require_block(kFormat, "unpack", bytes.size());
  Block block;
  block.d = blocks::load_u16(bytes, 0);
  for (size_t e = 0; e < kBlock; ++e) block.q[e] = static_cast<int8_t>(bytes[kCodesAt + e]);
  return block;
}

void pack(const Block& block, std::span<uint8_t> bytes) {
  blocks::require_block(kFormat, "pack", bytes.size());
  blocks::store_u16(bytes, 0, block.d);
  for (size_t e = 0; e < kBlock; ++e) bytes[kCodesAt + e] = static_cast<uint8_t>(block.q[e]);
}

void dequantize_row(std::span<const uint8_t> row, std::span<double> out) {
  blocks::dequantize_row(
      kFormat, row, out, unpack, [](const Block& block) -> double { return f16::to_float(block.d); },
      [](const Block& block, size_t e) -> double { return block.q[e]; });
}

void quantize_row(Variant variant, std::span<const float> x, std::span<uint8_t> row) {
  blocks::require_row(kFormat, "quantize_row", x.size(), row.size());
  rounding::require_finite("q8_0", x);
  for (size_t b = 0; b < x.size() / kBlock; ++b) {
    const Unrounded block = quantize_block("q8_0", variant, x.subspan(b * kBlock, kBlock), b);
    pack({block.q, f16::from_float(block.d)}, row.subspan(b * kBytes, kBytes));
  }
}

}  // namespace tritcheck::q8_0
