#include "reference/ggml_blocks.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "reference/ggml_values.h"
#include "reference/half.h"
#include "reference/tq1_0.h"

namespace tritcheck::ggml {
namespace {

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
    case Type::q6_k:
      return {208, std::nullopt};
    case Type::tq1_0:
      return {52, std::nullopt};
    case Type::tq2_0:
      return {64, std::nullopt};
    case Type::mxfp4:
    case Type::nvfp4:
      return {};
    default:
      return {0, std::nullopt};
  }
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

// The whole number that multiplies element e's code.
int32_t sub_scale(Type type, const Fields& f, size_t e) {
  if (f.scales.empty()) return 1;
  const uint8_t stored = f.scales[e * f.scales.size() / f.codes.size()];
  switch (type) {
    case Type::mxfp4:
      return 1;  // its scale is d
    case Type::nvfp4:
      return nvfp4_scale(stored);
    case Type::q6_k:
      return static_cast<int8_t>(stored);
    case Type::q3_k:
    case Type::iq4_xs:
      return stored - 32;
    default:
      return stored;
  }
}

// What a code stands for, before any scale.
int32_t number(Type type, uint8_t code) {
  switch (type) {
    case Type::iq4_nl:
    case Type::iq4_xs:
      return kIq4[code];
    case Type::mxfp4:
    case Type::nvfp4:
      return kE2m1[code];
    case Type::q1_0:
      return 2 * code - 1;
    case Type::q8_0:
      return static_cast<int8_t>(code);
    default:
      return code - code_offset(type);
  }
}

}  // namespace

Fields unpack(Type type, std::span<const uint8_t> bytes) {
  const blocks::Format& f = format(type);
  blocks::require_block(f, "unpack", bytes.size());
  Fields out;
  const auto [d, c] = scale_bytes(type);
  if (d) out.d = blocks::load_u16(bytes, *d);
  if (c) out.c = blocks::load_u16(bytes, *c);
  if (type == Type::tq1_0) {
    const tq1_0::Block block = tq1_0::unpack(bytes);
    out.codes.assign(block.codes.begin(), block.codes.end());
    return out;
  }
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
  if (type == Type::tq1_0) {
    tq1_0::Block block;
    std::copy(fields.codes.begin(), fields.codes.end(), block.codes.begin());
    block.d = fields.d;
    tq1_0::pack(block, bytes);
    return;
  }
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
  const int offset = type == Type::q1_0 ? 1 : code_offset(type);
  for (size_t e = 0; e < f.codes.size(); ++e) {
    const int32_t scale = sub_scale(type, f, e);
    out.weight.push_back(scale * number(type, f.codes[e]));
    out.offset.push_back(scale * offset);
    out.minimum.push_back(plus ? 1 : f.minima.empty() ? 0 : f.minima[e * f.minima.size() / f.codes.size()]);
  }
  return out;
}

}  // namespace tritcheck::ggml
