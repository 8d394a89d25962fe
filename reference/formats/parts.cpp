#include "reference/formats/parts.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tritcheck::ggml::formats {
namespace {

float inverse(float d) {
  const float id = d == 0 ? 0.0F : 1.0F / d;
  if (!std::isfinite(id)) throw std::domain_error("quantize_row: so small a scale has no inverse in float32");
  return id;
}

// The result is kept in a volatile so that no compiler fuses what is to be rounded twice.
float product_and_sum(float a, float b, float c, Rounding rounding) {
  if (rounding == Rounding::fused) return std::fma(a, b, c);
  const volatile float product = a * b;
  return product + c;
}

uint8_t at_most(int code, int most) {
  return static_cast<uint8_t>(std::clamp(code, 0, most));
}

}  // namespace

void less(Block& out, int32_t offset) {
  for (int32_t& one : out.offset) one = offset;
}

void plus(Block& out, double m) {
  out.c = m;
  for (int32_t& one : out.minimum) one = 1;
}

void fifth_bits(std::span<const uint8_t> b, size_t at, Block& out) {
  uint32_t bits = blocks::load_u32(b, at);
  for (int32_t& w : out.weight) {
    if (bits % 2 != 0) w += 16;
    bits /= 2;
  }
}

void q4_or_q5_k(std::span<const uint8_t> b, size_t codes, bool fifth, Block& out) {
  out.d = half(b, 0);
  out.c = -half(b, 2);
  int scale[8];
  int minimum[8];
  for (size_t i = 0; i < 4; ++i) {
    scale[i] = b[4 + i] % 64;
    minimum[i] = b[8 + i] % 64;
    scale[i + 4] = b[12 + i] % 16 + b[4 + i] / 64 * 16;
    minimum[i + 4] = b[12 + i] / 16 + b[8 + i] / 64 * 16;
  }
  int mask = 1;
  size_t e = 0;
  for (size_t sub = 0; sub < 8; ++sub, mask *= 2) {
    for (size_t l = 0; l < 32; ++l, ++e) {
      const int byte = b[codes + sub / 2 * 32 + l];
      int q = sub % 2 == 0 ? byte % 16 : byte / 16;
      if (fifth && (b[16 + l] & mask) != 0) q += 16;
      out.weight[e] = scale[sub] * q;
      out.minimum[e] = minimum[sub];
    }
  }
}

void quantize_centred(std::span<const float> x, int offset, Rounding rounding, Fields& out) {
  float extreme = 0;
  for (const float v : x) {
    if (std::fabs(v) > std::fabs(extreme)) extreme = v;
  }
  const float d = extreme / static_cast<float>(-offset);
  const float id = inverse(d);
  out.d = f16::from_float(d);
  const float half = static_cast<float>(offset) + 0.5F;
  for (const float v : x) {
    out.codes.push_back(at_most(static_cast<int>(product_and_sum(v, id, half, rounding)), 2 * offset - 1));
  }
}

void quantize_shifted(std::span<const float> x, int most, Rounding rounding, Fields& out) {
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const float d = (*high - *low) / static_cast<float>(most);
  const float id = inverse(d);
  out.d = f16::from_float(d);
  out.c = f16::from_float(*low);
  for (const float v : x) {
    const volatile float above = v - *low;
    out.codes.push_back(at_most(static_cast<int>(product_and_sum(above, id, 0.5F, rounding)), most));
  }
}

void quantize_ternary(std::span<const float> x, int most, Fields& out) {
  float amax = 0;
  for (const float v : x) amax = std::max(amax, std::fabs(v));
  const float id = inverse(amax);
  out.d = f16::from_float(amax);
  for (const float v : x) out.codes.push_back(at_most(static_cast<int>(std::round(v * id)) + 1, most));
}

}  // namespace tritcheck::ggml::formats
