#include "reference/ggml_blocks.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "reference/ggml_values.h"
#include "reference/half.h"

namespace tritcheck::ggml {
namespace {

constexpr blocks::Format kFormats[] = {{"q4_0", 32, 18},   {"q4_1", 32, 20},     {"q5_0", 32, 22},   {"q5_1", 32, 24},
                                       {"q2_K", 256, 84},  {"q3_K", 256, 110},   {"q4_K", 256, 144}, {"q5_K", 256, 176},
                                       {"iq4_nl", 32, 18}, {"iq4_xs", 256, 136}, {"mxfp4", 32, 17},  {"nvfp4", 64, 36},
                                       {"q1_0", 128, 18},  {"q2_0", 64, 18}};

// Where d and c are; nothing for formats without.
struct ScalePlaces {
  std::optional<size_t> d, c;
};
ScalePlaces scale_bytes(Type type) {
  switch (type) {
    case Type::q4_1:
    case Type::q5_1:
    case Type::q4_k:
    case Type::q5_k:
      return {0, 2};
    case Type::q2_k:
      return {80, 82};
    case Type::q3_k:
      return {108, std::nullopt};
    case Type::mxfp4:
    case Type::nvfp4:
      return {};
    default:
      return {0, std::nullopt};
  }
}

// Four bits: elements 0..15 in the low halves of 16 bytes, 16..31 in the high ones.
Bits nibble(size_t at, size_t e) {
  return {at + e % 16, static_cast<int>(4 * (e / 16)), 4};
}

// The twelve bytes of eight six-bit scales and minima of q4_K and q5_K begin at byte 4.
Place six_bits(size_t i, bool minimum) {
  const size_t own = 4 + (minimum ? 4 : 0);
  if (i < 4) return {{own + i, 0, 6}, std::nullopt};
  return {{4 + i + 4, minimum ? 4 : 0, 4}, Bits{own + i - 4, 6, 2}};
}

uint8_t read(std::span<const uint8_t> bytes, const Place& place) {
  const auto part = [&](const Bits& b) { return bytes[b.byte] >> b.shift & ((1 << b.width) - 1); };
  const int high = place.high ? part(*place.high) << place.low.width : 0;
  return static_cast<uint8_t>(part(place.low) | high);
}

void write(const blocks::Format& format, std::span<uint8_t> bytes, const Place& place, size_t number, uint8_t value) {
  const int width = place.low.width + (place.high ? place.high->width : 0);
  blocks::require_code(format, number, value, (1 << width) - 1);
  const auto put = [&](const Bits& b, int bits) {
    bytes[b.byte] |= static_cast<uint8_t>((bits & ((1 << b.width) - 1)) << b.shift);
  };
  put(place.low, value);
  if (place.high) put(*place.high, value >> place.low.width);
}

int32_t nvfp4_scale(uint8_t bits) {
  if (bits > 0x7F) throw std::domain_error("nvfp4: a scale above 0x7F is undefined");
  if (bits == 0x7F) return 0;
  const int exponent = bits >> 3;
  const int mantissa = bits & 7;
  return exponent == 0 ? mantissa : (8 + mantissa) << (exponent - 1);  // times 2^-10
}

// Weight of a code under a scale, and the number the code stands for.
int32_t weight(Type type, int code, int scale) {
  switch (type) {
    case Type::q4_0:
      return code - 8;
    case Type::q5_0:
      return code - 16;
    case Type::q4_1:
    case Type::q5_1:
      return code;
    case Type::iq4_nl:
      return kIq4[static_cast<size_t>(code)];
    case Type::iq4_xs:
      return (scale - 32) * kIq4[static_cast<size_t>(code)];
    case Type::mxfp4:
      return kE2m1[static_cast<size_t>(code)];
    case Type::nvfp4:
      return nvfp4_scale(static_cast<uint8_t>(scale)) * kE2m1[static_cast<size_t>(code)];
    case Type::q1_0:
      return 2 * code - 1;
    case Type::q2_0:
      return code - 1;
    case Type::q3_k:
      return (scale - 32) * (code - 4);
    case Type::q2_k:
    case Type::q4_k:
    case Type::q5_k:
      return scale * code;
  }
  return 0;
}

}  // namespace

const blocks::Format& format(Type type) {
  return kFormats[static_cast<size_t>(type)];
}

size_t scales(Type type) {
  switch (type) {
    case Type::q2_k:
    case Type::q3_k:
      return 16;
    case Type::q4_k:
    case Type::q5_k:
    case Type::iq4_xs:
      return 8;
    case Type::nvfp4:
      return 4;
    case Type::mxfp4:
      return 1;
    default:
      return 0;
  }
}

size_t minima(Type type) {
  return type == Type::q2_k ? 16 : type == Type::q4_k || type == Type::q5_k ? 8 : 0;
}

Place code_place(Type type, size_t e) {
  const auto field = static_cast<int>(e % 128 / 32);
  const auto half64 = static_cast<int>(e % 64 / 32);
  switch (type) {
    case Type::q4_0:
    case Type::iq4_nl:
      return {nibble(2, e), std::nullopt};
    case Type::q4_1:
      return {nibble(4, e), std::nullopt};
    case Type::q5_0:
      return {nibble(6, e), Bits{2 + e / 8, static_cast<int>(e % 8), 1}};
    case Type::q5_1:
      return {nibble(8, e), Bits{4 + e / 8, static_cast<int>(e % 8), 1}};
    case Type::iq4_xs:
      return {nibble(8 + 16 * (e / 32), e % 32), std::nullopt};
    case Type::mxfp4:
      return {nibble(1, e), std::nullopt};
    case Type::nvfp4:
      return {{4 + 8 * (e / 16) + e % 8, static_cast<int>(4 * (e % 16 / 8)), 4}, std::nullopt};
    case Type::q1_0:
      return {{2 + e / 8, static_cast<int>(e % 8), 1}, std::nullopt};
    case Type::q2_0:
      return {{2 + e / 4, static_cast<int>(2 * (e % 4)), 2}, std::nullopt};
    case Type::q2_k:
      return {{16 + 32 * (e / 128) + e % 32, 2 * field, 2}, std::nullopt};
    case Type::q3_k:
      return {{32 + 32 * (e / 128) + e % 32, 2 * field, 2}, Bits{e % 32, static_cast<int>(4 * (e / 128)) + field, 1}};
    case Type::q4_k:
      return {{16 + 32 * (e / 64) + e % 32, 4 * half64, 4}, std::nullopt};
    case Type::q5_k:
      return {{48 + 32 * (e / 64) + e % 32, 4 * half64, 4},
              Bits{16 + e % 32, static_cast<int>(2 * (e / 64)) + half64, 1}};
  }
  return {};
}

Place scale_place(Type type, size_t i) {
  switch (type) {
    case Type::q2_k:
      return {{i, 0, 4}, std::nullopt};
    case Type::q3_k:
      return {{96 + i % 8, static_cast<int>(4 * (i / 8)), 4}, Bits{104 + i % 4, static_cast<int>(2 * (i / 4)), 2}};
    case Type::iq4_xs:
      return {{4 + i / 2, static_cast<int>(4 * (i % 2)), 4}, Bits{2 + i / 4, static_cast<int>(2 * (i % 4)), 2}};
    case Type::mxfp4:
    case Type::nvfp4:
      return {{i, 0, 8}, std::nullopt};
    default:
      return six_bits(i, false);
  }
}

Place minimum_place(Type type, size_t i) {
  if (type == Type::q2_k) return {{i, 4, 4}, std::nullopt};
  return six_bits(i, true);
}

Fields unpack(Type type, std::span<const uint8_t> bytes) {
  const blocks::Format& f = format(type);
  blocks::require_block(f, "unpack", bytes.size());
  Fields out;
  const auto [d, c] = scale_bytes(type);
  if (d) out.d = blocks::load_u16(bytes, *d);
  if (c) out.c = blocks::load_u16(bytes, *c);
  for (size_t e = 0; e < f.elements; ++e) out.codes.push_back(read(bytes, code_place(type, e)));
  for (size_t i = 0; i < scales(type); ++i) out.scales.push_back(read(bytes, scale_place(type, i)));
  for (size_t i = 0; i < minima(type); ++i) out.minima.push_back(read(bytes, minimum_place(type, i)));
  return out;
}

void pack(Type type, const Fields& fields, std::span<uint8_t> bytes) {
  const blocks::Format& f = format(type);
  blocks::require_block(f, "pack", bytes.size());
  if (fields.codes.size() != f.elements || fields.scales.size() != scales(type) || fields.minima.size() != minima(type))
    throw std::invalid_argument(std::string(f.name) + ": pack: the fields are not those of one block");
  std::fill(bytes.begin(), bytes.end(), uint8_t{0});
  const auto [d, c] = scale_bytes(type);
  if (d) blocks::store_u16(bytes, *d, fields.d);
  if (c) blocks::store_u16(bytes, *c, fields.c);
  for (size_t e = 0; e < f.elements; ++e) write(f, bytes, code_place(type, e), e, fields.codes[e]);
  for (size_t i = 0; i < fields.scales.size(); ++i) write(f, bytes, scale_place(type, i), i, fields.scales[i]);
  for (size_t i = 0; i < fields.minima.size(); ++i) write(f, bytes, minimum_place(type, i), i, fields.minima[i]);
}

Block decode(Type type, std::span<const uint8_t> bytes) {
  const Fields f = unpack(type, bytes);
  Block out;
  out.d = f16::to_float(f.d);
  if (type == Type::mxfp4) out.d = std::ldexp(1.0, f.scales[0] - 128);
  if (type == Type::nvfp4) out.d = 0x1p-10;
  const bool plus = type == Type::q4_1 || type == Type::q5_1;
  if (scale_bytes(type).c) out.c = plus ? double{f16::to_float(f.c)} : -double{f16::to_float(f.c)};
  for (size_t e = 0; e < f.codes.size(); ++e) {
    const int scale = f.scales.empty() ? 1 : f.scales[e * f.scales.size() / f.codes.size()];
    out.weight.push_back(weight(type, f.codes[e], scale));
    out.minimum.push_back(plus ? 1 : f.minima.empty() ? 0 : f.minima[e * f.minima.size() / f.codes.size()]);
  }
  return out;
}

}  // namespace tritcheck::ggml
